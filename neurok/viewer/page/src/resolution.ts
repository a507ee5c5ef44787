// Resolution: fine pictures while something moves, coarse ones only where fine ones were measured to be slow.

const SLOW = 70; // milliseconds of a picture, above which a hand feels that it lags behind
const PATIENCE = 4; // slow pictures in a row: the first of an object are slow anywhere, for shaders are compiled

export class Resolution {
  private slow = 0;
  private coarse = false;

  constructor(readonly full: number) {}

  /** Device pixels for one of the page while something moves. */
  get moving(): number {
    return this.coarse ? 0.5 * this.full : this.full;
  }

  /** A picture of some ratio took so many milliseconds while something moved. */
  note(milliseconds: number, ratio: number): void {
    if (ratio < this.full) return;
    this.slow = milliseconds > SLOW ? this.slow + 1 : 0;
    if (this.slow >= PATIENCE) this.coarse = true;
  }

  /** Another object: what was slow before may not be now. */
  reset(): void {
    this.slow = 0;
    this.coarse = false;
  }
}
