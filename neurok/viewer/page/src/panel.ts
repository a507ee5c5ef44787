// Panel: sliders of the object's coordinates, states to choose from, and the forces.

import type { Coordinate, FromPage, Settings, Thing } from "./messages";

type Say = (message: FromPage) => void;

/** An element with attributes and children. */
export function element(tag: string, attributes: Record<string, string> = {}, ...children: (Node | string)[]): HTMLElement {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

interface Row {
  input: HTMLInputElement;
  output: HTMLElement;
  label: HTMLElement;
  coordinate: Coordinate;
}

const WAYS = ["right", "rear right", "rear", "rear left", "left", "front left", "front", "front right"];

const FORCES: { key: keyof Settings; label: string; max: number; step: number; unit: string; power?: number }[] = [
  { key: "gravity", label: "Gravity", max: 20, step: 0.01, unit: " m/s²" },
  { key: "wind", label: "Wind", max: 30, step: 0.5, unit: " m/s" },
  { key: "wind_angle", label: "Wind towards", max: 360, step: 5, unit: "°" },
  { key: "stiffness", label: "Stiffness", max: 10, step: 0.05, unit: "" },
  { key: "damping", label: "Damping", max: 10, step: 0.05, unit: " /s" },
];

export class Panel {
  private rows: Row[] = [];
  private settings: Settings | null = null;
  private readonly outputs = new Map<string, { input: HTMLInputElement; output: HTMLElement; unit: string }>();
  private dragging = -1;
  /** Show what a coordinate moves, or nothing (-1). */
  onRegion = (_: number): void => {};
  onUse = (): void => {};

  constructor(
    private readonly sliders: HTMLElement,
    private readonly forces: HTMLElement,
    private readonly say: Say,
  ) {
    for (const force of FORCES) this.addForce(force);
    this.addSwitch("ground", "Ground", "The object meets the floor");
    this.addSwitch("free", "Free base", "The whole object can fall, slide and tumble");
  }

  load(thing: Thing): void {
    this.rows = thing.coordinates.map((coordinate, index) => this.row(coordinate, index));
    this.sliders.replaceChildren(...this.rows.filter((row) => row.coordinate.shown).map((row) => row.label));
    if (!this.rows.length) this.sliders.append(element("p", { class: "quiet" }, "This object has no coordinates to move."));
    this.settings = thing.settings;
    for (const force of FORCES) {
      const { input } = this.outputs.get(force.key)!;
      input.value = String(this.settings[force.key]);
      this.write(force.key);
    }
    for (const key of ["ground", "free"] as const)
      (this.forces.querySelector(`[data-key=${key}]`) as HTMLInputElement).checked = this.settings[key];
  }

  /** The state has changed: sliders follow, but for the one in hand. */
  follow(values: number[]): void {
    this.rows.forEach((row, index) => {
      if (index === this.dragging) return;
      row.input.value = String(values[index]);
      this.name(row, values[index]);
    });
  }

  /** Which coordinates have a slider. */
  get shown(): number[] {
    return this.rows.flatMap((row, index) => (row.coordinate.shown ? [index] : []));
  }

  /** A small picture of what a coordinate moves, beside its slider. */
  illustrate(index: number, picture: HTMLCanvasElement): void {
    const label = this.rows[index]?.label;
    label?.querySelector("canvas")?.remove();
    label?.prepend(picture);
  }

  private row(coordinate: Coordinate, index: number): Row {
    const input = element("input", {
      type: "range", min: String(coordinate.lower), max: String(coordinate.upper),
      step: String((coordinate.upper - coordinate.lower) / 1000 || 1), "aria-label": `${coordinate.name} ${coordinate.moves}`,
    }) as HTMLInputElement;
    const output = element("output");
    const head = element("span", { class: "head" }, element("b", {}, coordinate.name), output);
    const words = element("span", {}, head, element("i", {}, coordinate.moves), input);
    const label = element("label", { class: "slider", title: `${coordinate.name} ${coordinate.moves}` }, words);
    const row = { input, output, label, coordinate };
    input.addEventListener("input", () => {
      this.dragging = index;
      this.name(row, Number(input.value));
      this.onUse();
      this.say({ type: "SetCoordinate", index, value: Number(input.value), stamp: 0 });
    });
    input.addEventListener("change", () => (this.dragging = -1));
    label.addEventListener("pointerenter", () => this.onRegion(index));
    label.addEventListener("pointerleave", () => this.onRegion(-1));
    input.addEventListener("focus", () => this.onRegion(index));
    input.addEventListener("blur", () => this.onRegion(-1));
    return row;
  }

  private name(row: Row, value: number): void {
    const shown = value * row.coordinate.factor;
    const range = Math.abs(row.coordinate.factor * (row.coordinate.upper - row.coordinate.lower));
    const digits = range > 20 ? 0 : range > 2 ? 1 : 2;
    row.output.textContent = `${(Math.abs(shown) < 0.5 * 10 ** -digits ? 0 : shown).toFixed(digits)}${row.coordinate.unit}`;
  }

  private addForce(force: (typeof FORCES)[number]): void {
    const input = element("input", { type: "range", min: "0", max: String(force.max), step: String(force.step), "data-key": force.key, "aria-label": force.label }) as HTMLInputElement;
    const output = element("output");
    this.outputs.set(force.key, { input, output, unit: force.unit });
    this.forces.append(element("label", { class: "slider" }, element("span", { class: "head" }, element("b", {}, force.label), output), input));
    input.addEventListener("input", () => this.write(force.key));
    input.addEventListener("change", () => this.change({ [force.key]: Number(input.value) }));
  }

  private write(key: string): void {
    const { input, output, unit } = this.outputs.get(key)!;
    const value = Number(input.value);
    const way = key === "wind_angle" ? ` ${WAYS[Math.round(value / 45) % 8]}` : "";
    output.textContent = `${Number(value.toFixed(2))}${unit}${way}`;
  }

  private addSwitch(key: "ground" | "free", label: string, title: string): void {
    const input = element("input", { type: "checkbox", "data-key": key }) as HTMLInputElement;
    this.forces.append(element("label", { class: "switch", title }, element("b", {}, label), input));
    input.addEventListener("change", () => this.change({ [key]: input.checked }));
  }

  private change(part: Partial<Settings>): void {
    if (!this.settings) return;
    this.settings = { ...this.settings, ...part };
    this.say({ ...this.settings, type: "Settings" });
  }
}
