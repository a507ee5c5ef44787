"""Where shards are built: a pool of processes here, or an existing Ray cluster; the same bytes either way."""

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from typing import TypeVar

from neurok.errors import MissingExtra, OptionError, unknown

Job = TypeVar("Job")
Result = TypeVar("Result")


def run_local(function: Callable[[Job], Result], tasks: list[Job], workers: int | None) -> Iterator[Result]:
    """Results as they come, from processes of one thread each."""
    workers = min(workers or os.cpu_count() or 1, max(len(tasks), 1))
    if workers == 1:
        yield from map(function, tasks)
        return
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # inherited: two pools of threads on one core only wait
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        for job in as_completed([pool.submit(function, task) for task in tasks]):
            yield job.result()


def run_ray(function: Callable[[Job], Result], tasks: list[Job], workers: int | None) -> Iterator[Result]:
    """Results as they come, from a Ray cluster (the one RAY_ADDRESS names, or one started here)."""
    try:
        import ray
    except ImportError:
        raise MissingExtra("--engine ray", "ray") from None
    if not ray.is_initialized():
        ray.init(address=os.environ.get("RAY_ADDRESS"), num_cpus=None if os.environ.get("RAY_ADDRESS") else workers,
                 include_dashboard=False, log_to_driver=False)  # fmt: skip
    remote = ray.remote(function)
    waiting = [remote.remote(task) for task in tasks]
    while waiting:
        done, waiting = ray.wait(waiting)
        yield ray.get(done[0])


ENGINES = {"local": run_local, "ray": run_ray}


def run_tasks(
    engine: str, function: Callable[[Job], Result], tasks: list[Job], workers: int | None
) -> Iterator[Result]:
    """All tasks on one of the engines."""
    if engine not in ENGINES:
        raise unknown("engine", engine, ENGINES)
    if workers is not None and workers < 1:
        raise OptionError(f"{workers} workers", "give a whole number from one on")
    return ENGINES[engine](function, tasks, workers)
