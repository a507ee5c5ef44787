// The viewer's page: what the person does goes to the server, what the server answers is shown.

import { Color } from "three";
import { Figure } from "./figure";
import { Hands, type Tool } from "./hands";
import { Link } from "./link";
import type { Choices, FromServer, Pose, Say, Take, Thing } from "./messages";
import { Panel } from "./panel";
import { Studio } from "./studio";
import { Timeline } from "./timeline";
import { startTheme } from "./theme";

const find = <T extends HTMLElement>(id: string): T => document.getElementById(id) as T;

const studio = new Studio(find<HTMLCanvasElement>("view"));
const link = new Link();
const say = link.say.bind(link);
const hands = new Hands(studio, say, find("view"));
const panel = new Panel(find("sliders"), find("forces"), say);
const timeline = new Timeline({
  root: find("timeline"), track: find("track"), fill: find("fill"), knob: find("knob"), from: find("from"), to: find("to"),
  clock: find("clock"), replay: find("replay"), loop: find("loop"), plot: find<HTMLCanvasElement>("plot"),
});

let thing: Thing | null = null;
let figure: Figure | null = null;
let running = false;
let region = -1;
let shown: Float32Array | null = null;
let updates = 0;

// ---------------------------------------------------------------- from the server

link.onMessage = (message: FromServer) => {
  if (message.type === "Thing") show(message);
  else if (message.type === "Pose") pose(message);
  else if (message.type === "Take") taken(message);
  else if (message.type === "Choices") choices(message);
  else if (message.type === "Say") status(message);
  else if (message.type === "Region" && message.index === region) {
    figure?.tint(message.heat, new Color("#3b6ef6"));
    studio.touch();
  }
};
link.onLost = () => {
  status({ type: "Say", text: "The server has gone. Start it again and reload this page.", fault: true });
  document.body.classList.add("lost");
};

function show(message: Thing): void {
  const again = thing !== null && thing.token === message.token && thing.title === message.title && thing.facts === message.facts;
  if (figure) {
    studio.remove(figure.root);
    figure.dispose();
  }
  thing = message;
  figure = new Figure(message.scenery, message);
  figure.onTexture = () => studio.touch();
  hands.clear();
  hands.figure = figure;
  hands.enabled = true;
  studio.add(figure.root);
  find("title").textContent = message.title;
  find("facts").textContent = message.facts;
  panel.load(message);
  find("choices").replaceChildren();
  timeline.load({ fps: 30, shapes: [], kinetic: [], potential: [] });
  let height = 0;
  for (let i = 1; i < message.scenery.rest.length; i += 3) height = Math.max(height, message.scenery.rest[i]);
  if (!again) studio.frame(height);
  const cell = roundLength(0.1 * message.metres);
  studio.cell = cell / message.metres;
  find("scale").textContent = `grid ${lengthWords(cell)}`;
  document.title = `${message.title} – neurok`;
  document.body.classList.add("ready");
}

function pose(message: Pose): void {
  updates++;
  shown = message.shape;
  figure?.pose(message.shape);
  if (message.frame >= 0) timeline.push(message.frame, message.shape, message.energy[0], message.energy[1]);
  panel.follow(message.coordinates);
  hands.follow(message);
  studio.touch();
}

function taken(message: Take): void {
  running = message.running;
  if (message.frames === 0) timeline.load({ fps: message.fps, shapes: [], kinetic: [], potential: [] });
  find("run").classList.toggle("on", running);
  find("run-word").textContent = running ? "Pause" : "Run";
}

function choices(message: Choices): void {
  const size = message.shapes.length / message.count;
  const poses = Array.from({ length: message.count }, (_, i) => message.shapes.slice(i * size, (i + 1) * size));
  const pictures = studio.pictures(132, 100, message.count, (index) => figure?.pose(poses[index]));
  if (shown) figure?.pose(shown);
  studio.touch();
  const buttons = pictures.map((picture, index) => {
    const button = document.createElement("button");
    button.append(picture);
    button.setAttribute("aria-label", `Alternative ${index + 1}`);
    button.classList.toggle("on", index === message.chosen);
    button.addEventListener("click", () => {
      for (const other of buttons) other.classList.toggle("on", other === button);
      say({ type: "Choose", index });
    });
    return button;
  });
  find("choices").replaceChildren(...buttons);
}

function status(message: Say): void {
  const line = find("status");
  line.textContent = message.text;
  line.classList.toggle("fault", message.fault);
}

// ---------------------------------------------------------------- from the person

const hint = find("hint");
hands.onFirstUse = () => hint.classList.add("gone");
hands.onGrab = () => {
  if (timeline.playing) {
    timeline.playing = false;
    say({ type: "Seek", frame: timeline.now });
  }
};
panel.onUse = hands.onFirstUse;
panel.onRegion = (index) => {
  region = index;
  if (index < 0) figure?.tint(null, new Color());
  else say({ type: "ShowRegion", index });
  studio.touch();
};
studio.onDraw = () => hands.arrange();
timeline.onShow = (frame) => {
  shown = timeline.frames.shapes[frame];
  figure?.pose(shown);
  studio.touch();
};
timeline.onSeek = (frame) => say({ type: "Seek", frame });

function toggleRun(): void {
  hint.classList.add("gone");
  say(running ? { type: "Pause" } : { type: "Run" });
}
function reset(): void {
  hands.clear();
  find("choices").replaceChildren();
  say({ type: "Reset" });
}
function setTool(tool: Tool): void {
  hands.tool = tool;
  for (const button of document.querySelectorAll<HTMLElement>("[data-tool]"))
    button.setAttribute("aria-pressed", String(button.dataset.tool === tool));
}
for (const button of document.querySelectorAll<HTMLElement>("[data-tool]"))
  button.addEventListener("click", () => setTool(button.dataset.tool as Tool));
setTool("drag");
find("run").addEventListener("click", toggleRun);
find("step").addEventListener("click", () => say({ type: "StepOnce" }));
find("reset").addEventListener("click", reset);
find("surprise").addEventListener("click", () => say({ type: "Surprise" }));
find("help-open").addEventListener("click", () => find<HTMLDialogElement>("help").showModal());
find("panel-open").addEventListener("click", () => document.body.classList.toggle("panel"));
const theme = startTheme(find("theme"), (dark) => {
  studio.theme(dark);
  timeline.update();
});

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (find<HTMLDialogElement>("help").open && event.key !== "?") return;
  const typing = (event.target as HTMLElement).matches("input");
  const keys: Record<string, () => void> = {
    " ": toggleRun,
    r: reset,
    s: () => say({ type: "Surprise" }),
    ".": () => say({ type: "StepOnce" }),
    l: () => timeline.setLoop(!timeline.looping),
    p: () => timeline.toggle(),
    t: theme,
    "1": () => setTool("drag"),
    "2": () => setTool("pin"),
    "3": () => setTool("push"),
    Escape: () => hands.releaseAll(),
    "?": () => find<HTMLDialogElement>("help").showModal(),
  };
  if (!typing) {
    keys.ArrowLeft = () => seek(timeline.now - 1);
    keys.ArrowRight = () => seek(timeline.now + 1);
  }
  const act = keys[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  if (!act) return;
  event.preventDefault();
  act();
});

function seek(frame: number): void {
  if (timeline.count < 2 || running) return;
  timeline.scrub(frame);
  say({ type: "Seek", frame: timeline.now });
}

/** The nearest of 1, 2, 5, 10, ... in metres. */
function roundLength(metres: number): number {
  const power = 10 ** Math.floor(Math.log10(metres));
  return power * ([5, 2, 1].find((step) => step * power <= metres * 1.0001) ?? 1);
}

function lengthWords(metres: number): string {
  const units: [string, number][] = [["km", 1e3], ["m", 1], ["cm", 1e-2], ["mm", 1e-3]];
  for (const [unit, size] of units) if (metres >= 0.999 * size) return `${Number((metres / size).toPrecision(2))} ${unit}`;
  return `${metres.toPrecision(1)} m`;
}

// What tests look at: vertices as they are shown, and how quickly they came.
Object.assign(window, {
  neurok: {
    vertices: () => Array.from(figure?.vertices ?? []),
    latencies: () => hands.latencies,
    updates: () => updates,
    drawn: () => studio.drawn,
    frames: () => timeline.count,
    token: () => thing?.token,
  },
});
