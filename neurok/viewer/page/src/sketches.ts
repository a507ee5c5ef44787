// Sketches: small pictures of the object, of what each coordinate moves and of states to choose from.

import { Color } from "three";
import type { Figure } from "./figure";
import type { Choices } from "./messages";
import type { Studio } from "./studio";

export const TINT = new Color("#3b6ef6");
const SIZE: [number, number] = [132, 100]; // pixels of a picture, shown at half that and less
const NEAR = 1.65, FAR = 2.05; // diagonals from the object: at rest, and in states that need more room
const LARGEST = 250_000; // vertices, above which sliders have no pictures
const LONGEST = 24; // sliders

/** What each coordinate of one object moves, asked for one at a time while nothing else goes on. */
export class Sketches {
  figure: Figure | null = null;
  /** The shape shown now. */
  shape: Float32Array | null = null;
  /** Ask the server for what a coordinate moves. */
  onAsk = (_: number): void => {};
  /** A picture of what a coordinate moves. */
  onPicture = (_index: number, _picture: HTMLCanvasElement): void => {};
  /** Whether the person does something that must not wait. */
  isBusy = (): boolean => false;

  /** The coordinate whose region is shown on the object itself, or -1. */
  region = (): number => -1;

  private readonly heats = new Map<number, Uint8Array>();
  private wanted: number[] = [];
  private asked = -1;

  constructor(private readonly studio: Studio) {}

  /** Another object, with sliders for some of its coordinates. */
  load(figure: Figure, indices: number[]): void {
    this.figure = figure;
    this.heats.clear();
    this.asked = -1;
    this.wanted = figure.vertices.length / 3 > LARGEST || indices.length > LONGEST ? [] : [...indices];
    setTimeout(() => this.ask(figure), 300);
  }

  /** What a coordinate moves, where that is known. */
  heat(index: number): Uint8Array | undefined {
    return this.heats.get(index);
  }

  put(index: number, heat: Uint8Array): void {
    this.heats.set(index, heat);
    if (index !== this.asked) return;
    this.asked = -1;
    if (this.figure) this.ask(this.figure);
  }

  /** All pictures anew, as after a change of colours. */
  draw(): void {
    const { figure } = this;
    if (!figure || !this.heats.size) return;
    const indices = [...this.heats.keys()];
    const tint = (index: number) => figure.tint(this.heats.get(index) ?? null, TINT);
    figure.prepare();
    const pictures = this.studio.pictures(SIZE, NEAR, indices.length, (i) => tint(indices[i]), () => tint(this.region()));
    this.studio.touch();
    indices.forEach((index, i) => this.onPicture(index, pictures[i]));
  }

  /** Pictures of states. */
  states(choices: Choices): HTMLCanvasElement[] {
    const size = choices.shapes.length / choices.count;
    const pose = (shape: Float32Array | null) => {
      if (shape) this.figure?.pose(shape);
      this.figure?.prepare();
    };
    this.figure?.tint(null, TINT);
    const state = (i: number) => pose(choices.shapes.subarray(i * size, (i + 1) * size));
    const found = this.studio.pictures(SIZE, FAR, choices.count, state, () => pose(this.shape));
    this.studio.touch();
    return found;
  }

  private ask(figure: Figure): void {
    if (figure !== this.figure || this.asked >= 0) return;
    if (this.isBusy()) {
      setTimeout(() => this.ask(figure), 400);
      return;
    }
    const next = this.wanted.shift();
    if (next === undefined) this.draw();
    else {
      this.asked = next;
      this.onAsk(next);
    }
  }
}
