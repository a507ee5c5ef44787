// Timeline: a recorded motion to scrub, loop and trim.

import { plotEnergies } from "./energy";

/** A recording: vertices or bones of each frame, and its energies where they are known. */
export interface Frames {
  fps: number;
  count: number;
  kinetic: ArrayLike<number>;
  potential: ArrayLike<number>;
  shape(frame: number): Float32Array;
}

/** A recording that grows. */
export class Recording implements Frames {
  readonly kinetic: number[] = [];
  readonly potential: number[] = [];
  private readonly shapes: Float32Array[] = [];

  constructor(readonly fps: number) {}

  get count(): number {
    return this.shapes.length;
  }

  shape(frame: number): Float32Array {
    return this.shapes[frame];
  }

  /** Make a frame the last one. */
  put(frame: number, shape: Float32Array, kinetic: number, potential: number): void {
    for (const list of [this.shapes, this.kinetic, this.potential]) list.length = Math.min(list.length, frame);
    this.shapes.push(shape);
    this.kinetic.push(kinetic);
    this.potential.push(potential);
  }
}

/** Elements of the page a timeline works with. */
export interface Deck {
  root: HTMLElement;
  track: HTMLElement;
  fill: HTMLElement;
  knob: HTMLElement;
  from: HTMLElement;
  to: HTMLElement;
  clock: HTMLElement;
  replay: HTMLElement;
  loop: HTMLElement;
  plot: HTMLCanvasElement;
}

export class Timeline {
  frames: Frames = new Recording(30);
  now = 0;
  first = 0;
  last = 0;
  playing = false;
  looping = true;
  /** Show a frame. */
  onShow = (_: number): void => {};
  /** The person has chosen a frame to go on from. */
  onSeek = (_: number): void => {};
  private began = 0;
  private known = 0;

  constructor(private readonly deck: Deck) {
    this.slide(deck.track, (share) => this.scrub(Math.round(share * (this.count - 1))), () => this.onSeek(this.now));
    this.slide(deck.from, (share) => this.trim(Math.round(share * (this.count - 1)), this.last));
    this.slide(deck.to, (share) => this.trim(this.first, Math.round(share * (this.count - 1))));
    deck.replay.addEventListener("click", () => this.toggle());
    deck.loop.addEventListener("click", () => this.setLoop(!this.looping));
    new ResizeObserver(() => this.update()).observe(deck.plot);
    this.setLoop(true);
    this.update();
  }

  get count(): number {
    return this.frames.count;
  }

  /** Another recording, from its first frame on. */
  load(frames: Frames): void {
    this.frames = frames;
    this.playing = false;
    [this.now, this.first, this.last] = [0, 0, Math.max(this.count - 1, 0)];
    this.known = this.count;
    this.update();
  }

  /** The recording has grown: its last frame is the one shown. */
  grown(): void {
    const whole = this.last >= this.known - 1;
    this.known = this.count;
    this.playing = false;
    this.now = this.count - 1;
    if (whole) this.last = this.now;
    this.update();
  }

  toggle(): void {
    if (this.count < 2) return;
    this.playing = !this.playing;
    if (this.playing) {
      if (this.now >= this.last) this.now = this.first;
      this.began = performance.now() - (1000 * (this.now - this.first)) / this.frames.fps;
      requestAnimationFrame(() => this.play());
    } else this.onSeek(this.now);
    this.update();
  }

  setLoop(looping: boolean): void {
    this.looping = looping;
    this.deck.loop.setAttribute("aria-pressed", String(looping));
  }

  scrub(frame: number): void {
    this.playing = false;
    this.show(frame);
  }

  trim(first: number, last: number): void {
    const end = this.count - 1;
    this.first = Math.max(0, Math.min(first, end - 1));
    this.last = Math.min(end, Math.max(last, this.first + 1));
    this.show(Math.min(Math.max(this.now, this.first), this.last));
  }

  private show(frame: number): void {
    this.now = Math.max(0, Math.min(frame, this.count - 1));
    this.onShow(this.now);
    this.update();
  }

  private play(): void {
    if (!this.playing) return;
    const span = this.last - this.first + 1;
    let step = Math.floor(((performance.now() - this.began) * this.frames.fps) / 1000);
    if (step >= span) {
      if (!this.looping) {
        this.playing = false;
        this.show(this.last);
        this.onSeek(this.last);
        return;
      }
      this.began = performance.now();
      step = 0;
    }
    this.show(this.first + step);
    requestAnimationFrame(() => this.play());
  }

  /** Draw the deck anew. */
  update(): void {
    const { deck, count } = this;
    deck.root.classList.toggle("empty", count < 2);
    const share = (frame: number) => `${count > 1 ? (100 * frame) / (count - 1) : 0}%`;
    deck.knob.style.left = share(this.now);
    deck.from.style.left = share(this.first);
    deck.to.style.left = share(this.last);
    deck.fill.style.left = share(this.first);
    deck.fill.style.right = `calc(100% - ${share(this.last)})`;
    deck.clock.textContent = `${(this.now / this.frames.fps).toFixed(2)} / ${(Math.max(count - 1, 0) / this.frames.fps).toFixed(2)} s`;
    deck.replay.classList.toggle("on", this.playing);
    deck.replay.setAttribute("aria-label", this.playing ? "Pause the replay" : "Replay");
    deck.track.setAttribute("aria-valuenow", String(this.now));
    deck.track.setAttribute("aria-valuemax", String(Math.max(count - 1, 0)));
    document.body.classList.toggle("energies", this.frames.kinetic.length > 1);
    plotEnergies(deck.plot, this.frames, this.now);
  }

  /** Call `moved` with a share of the track while a pointer is down on an element. */
  private slide(element: HTMLElement, moved: (share: number) => void, done: () => void = () => {}): void {
    const share = (event: PointerEvent) => {
      const box = this.deck.track.getBoundingClientRect();
      return Math.max(0, Math.min(1, (event.clientX - box.left) / box.width));
    };
    element.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      event.stopPropagation();
      element.setPointerCapture(event.pointerId);
      moved(share(event));
      const move = (later: PointerEvent) => moved(share(later));
      element.addEventListener("pointermove", move);
      element.addEventListener("pointerup", () => {
        element.removeEventListener("pointermove", move);
        done();
      }, { once: true });
    });
  }
}
