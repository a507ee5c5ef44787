// Later: things for the eye alone, done a few times a second however often they are asked for.

const PAUSE = 90; // milliseconds

/** A function that does the same as `act`, with the newest arguments, at most once in a while. */
export function later<T extends unknown[]>(act: (...args: T) => void): (...args: T) => void {
  let newest: T | null = null;
  return (...args) => {
    if (newest === null)
      setTimeout(() => {
        const now = newest!;
        newest = null;
        act(...now);
      }, PAUSE);
    newest = args;
  };
}
