// Energy: kinetic, potential and total over time, as a small plot.

export interface Energies {
  kinetic: ArrayLike<number>;
  potential: ArrayLike<number>;
}

const LINES = [
  ["kinetic", "--kinetic"],
  ["potential", "--potential"],
  ["total", "--total"],
] as const;

/** Draw the energies of all frames; `now` is the frame shown. */
export function plotEnergies(canvas: HTMLCanvasElement, energies: Energies, now: number): void {
  const ratio = Math.min(devicePixelRatio, 2);
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  if (!width || !height) return;
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) [canvas.width, canvas.height] = [Math.round(width * ratio), Math.round(height * ratio)];
  const context = canvas.getContext("2d")!;
  const style = getComputedStyle(canvas);
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  const count = energies.kinetic.length;
  if (count < 2) return;
  // A potential energy counts from anywhere: its lowest value is drawn as zero.
  let lowest = Infinity, highest = 1e-9;
  for (let i = 0; i < count; i++) lowest = Math.min(lowest, energies.potential[i]);
  const value = (name: string, i: number): number =>
    name === "kinetic" ? energies.kinetic[i] : energies.potential[i] - lowest + (name === "total" ? energies.kinetic[i] : 0);
  for (let i = 0; i < count; i++) highest = Math.max(highest, value("total", i));
  const x = (i: number) => (i / (count - 1)) * width;
  const y = (e: number) => height - 4 - (e / highest) * (height - 18);
  for (const [name, color] of LINES) {
    context.strokeStyle = style.getPropertyValue(color);
    context.lineWidth = name === "total" ? 1 : 1.75;
    context.setLineDash(name === "total" ? [4, 3] : []);
    context.beginPath();
    for (let i = 0; i < count; i++) context.lineTo(x(i), y(value(name, i)));
    context.stroke();
  }
  context.setLineDash([]);
  context.strokeStyle = style.getPropertyValue("--accent");
  context.beginPath();
  context.moveTo(x(now), 0);
  context.lineTo(x(now), height);
  context.stroke();
  context.font = "11px system-ui, sans-serif";
  context.textAlign = "right";
  context.fillStyle = style.getPropertyValue("--muted");
  if (highest > 1e-9) context.fillText(`${joules(highest)} at most`, width - 2, 11);
}

/** An energy for people. */
export function joules(value: number): string {
  const units: [string, number][] = [["kJ", 1e3], ["J", 1], ["mJ", 1e-3], ["µJ", 1e-6]];
  for (const [unit, size] of units) if (value >= size) return `${(value / size).toPrecision(3)} ${unit}`;
  return `${value.toExponential(1)} J`;
}
