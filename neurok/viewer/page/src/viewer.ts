// The viewer's page: what the person does goes to the server, what the server answers is shown.

import { Figure } from "./figure";
import { Hands, type Tool } from "./hands";
import { later } from "./later";
import { Link } from "./link";
import { decode } from "./clip";
import type { Choices, Clip, FromServer, Pose, Say, Take, Thing } from "./messages";
import { element, Panel } from "./panel";
import { Sketches, TINT } from "./sketches";
import { gridWords, Studio } from "./studio";
import { Recording, Timeline } from "./timeline";
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

studio.inset = () => {
  const panel = find("panel").getBoundingClientRect(), deck = find("controls").getBoundingClientRect();
  const below = (box: DOMRect) => (box.width ? innerHeight - box.top : 0);
  return panel.width && panel.width > 0.4 * innerWidth ? [0, below(panel)] : [panel.width && panel.width + 14, below(deck)];
};
const sketches = new Sketches(studio);
sketches.onAsk = (index) => say({ type: "ShowRegion", index });
sketches.onPicture = (index, picture) => panel.illustrate(index, picture);
sketches.region = () => region;
sketches.isBusy = () => running || hands.count > 0;
const follow = later((values: number[]) => panel.follow(values));
const grown = later(() => timeline.grown());
let recording = new Recording(30);
const hint = find("hint");
let thing: Thing | null = null;
let figure: Figure | null = null;
let running = false;
let region = -1;
let offered: Choices | null = null;
let updates = 0;
let started = { wall: 0, time: 0 };

// ---------------------------------------------------------------- from the server

link.onMessage = (message: FromServer) => {
  if (message.type === "Thing") show(message);
  else if (message.type === "Pose") pose(message);
  else if (message.type === "Take") taken(message);
  else if (message.type === "Clip") play(message);
  else if (message.type === "Choices") choices(message);
  else if (message.type === "Say") status(message);
  else if (message.type === "Region") {
    sketches.put(message.index, message.heat);
    if (message.index === region) figure?.tint(message.heat, TINT);
    studio.touch();
  }
};
link.onLost = (again, reason) => {
  const words = again ? "The server does not answer. Trying again …" : line().classList.contains("fault") ? "" : `The server closed this page${reason && `: ${reason}`}. Reload it to go on.`;
  if (words) status({ type: "Say", text: words, fault: true });
  document.body.classList.add("lost");
  hands.clear();
};
link.onBack = () => {
  document.body.classList.remove("lost");
  running = false;
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
  hands.enabled = message.movable;
  document.body.classList.toggle("still", !message.movable);
  hint.classList.toggle("gone", !message.movable);
  studio.add(figure.root);
  find("title").textContent = message.title;
  find("facts").textContent = message.facts;
  panel.load(message);
  studio.resize();
  noChoices();
  sketches.load(figure, panel.shown);
  record(30);
  studio.resolution.reset();
  if (!again) studio.frame(figure.height());
  find("scale").textContent = gridWords(studio, message.metres);
  document.title = `${message.title} – neurok`;
  document.body.classList.add("ready");
}

function pose(message: Pose): void {
  updates++;
  sketches.shape = message.shape;
  figure?.pose(message.shape);
  if (message.frame >= 0) {
    pace(message);
    recording.put(message.frame, message.shape, message.energy[0], message.energy[1]);
    grown();
  }
  follow(message.coordinates);
  hands.follow(message);
  studio.touch();
}

const writePace = later((words: string) => (find("pace").textContent = words));

/** Say how fast time runs, where it cannot keep up with the clock. */
function pace(message: Pose): void {
  const now = performance.now();
  if (message.frame === 0 || !running) started = { wall: now, time: message.time };
  const wall = (now - started.wall) / 1000;
  const speed = wall > 0.7 ? (message.time - started.time) / wall : 1;
  writePace(running && speed < 0.8 ? `${speed.toFixed(1)}× speed` : "");
}

function record(fps: number): void {
  recording = new Recording(fps);
  timeline.load(recording);
}

function play(message: Clip): void {
  const { fps, count, kinetic, potential } = message;
  timeline.load({ fps, count, kinetic, potential, shape: decode(message, thing!.scenery.rest) });
  timeline.toggle();
}

function taken(message: Take): void {
  running = message.running;
  if (!running) writePace("");
  if (message.frames === 0) record(message.fps);
  find("run").classList.toggle("on", running);
  find("run-word").textContent = running ? "Pause" : "Run";
}

function choices(message: Choices): void {
  offered = message;
  const buttons = sketches.states(message).map((picture, index) => {
    const button = document.createElement("button");
    button.append(picture);
    button.setAttribute("aria-label", `Alternative ${index + 1}`);
    button.classList.toggle("on", index === message.chosen);
    button.addEventListener("click", () => {
      for (const other of buttons) other.classList.toggle("on", other === button);
      offered = { ...message, chosen: index };
      say({ type: "Choose", index });
    });
    return button;
  });
  find("choices").replaceChildren(...buttons);
}

function noChoices(): void {
  offered = null;
  find("choices").replaceChildren();
}

const line = (): HTMLElement => find("status");

function status(message: Say): void {
  const named = /^\S+\.\w+\b/.test(message.text); // a file's name stays as it is written
  line().textContent = named ? message.text : message.text.charAt(0).toUpperCase() + message.text.slice(1);
  line().classList.toggle("fault", message.fault);
}

// ---------------------------------------------------------------- from the person

hands.onFirstUse = () => hint.classList.add("gone");
hands.onGrab = () => {
  if (timeline.playing) {
    timeline.playing = false;
    say({ type: "Seek", frame: timeline.now });
  }
};
hands.onHover = (triangle, x, y) => {
  const bone = triangle >= 0 && figure ? thing?.named[figure.boneAt(triangle)] : undefined;
  const tip = find("tip");
  tip.classList.toggle("shown", bone !== undefined);
  if (!bone) return;
  tip.replaceChildren(element("b", {}, bone.name), ` ${bone.moves}`);
  if (bone.joint && bone.joint !== bone.name) tip.append(element("small", {}, bone.joint));
  const left = Math.min(x + 16, innerWidth - tip.offsetWidth - 8), top = y - tip.offsetHeight - 12;
  tip.style.transform = `translate(${left}px, ${top < 8 ? y + 20 : top}px)`;
};
panel.onUse = hands.onFirstUse;
panel.onRegion = (index) => {
  region = index;
  const heat = sketches.heat(index);
  if (index < 0 || heat) figure?.tint(heat ?? null, TINT);
  else say({ type: "ShowRegion", index });
  studio.touch();
};
studio.onDraw = () => {
  figure?.prepare();
  hands.arrange();
};
timeline.onShow = (frame) => {
  sketches.shape = timeline.frames.shape(frame);
  figure?.pose(sketches.shape);
  studio.touch();
};
timeline.onSeek = (frame) => say({ type: "Seek", frame });

function toggleRun(): void {
  hint.classList.add("gone");
  say(running ? { type: "Pause" } : { type: "Run" });
}
function surprise(): void {
  hint.classList.add("gone");
  say({ type: "Surprise" });
}
function reset(): void {
  hands.clear();
  noChoices();
  say({ type: "Reset" });
}
/** Another axis of the file points up. */
function turn(): void {
  if (thing) say({ type: "TurnUpright", up: { y: "z", z: "x", x: "y" }[thing.up] ?? "y" });
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
find("surprise").addEventListener("click", surprise);
find("help-open").addEventListener("click", () => find<HTMLDialogElement>("help").showModal());
find("upright").addEventListener("click", turn);
find("drag-it").addEventListener("click", () => say({ type: "DragIt" }));
find("panel-open").addEventListener("click", () => {
  document.body.classList.toggle("panel");
  hint.classList.add("gone");
  studio.resize();
});
const theme = startTheme(find("theme"), (dark) => {
  studio.theme(dark);
  timeline.update();
  sketches.draw();
  if (offered) choices(offered);
});

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (find<HTMLDialogElement>("help").open && event.key !== "?") return;
  const typing = (event.target as HTMLElement).matches("input");
  const keys: Record<string, () => void> = {
    " ": toggleRun,
    r: reset,
    s: surprise,
    ".": () => say({ type: "StepOnce" }),
    l: () => timeline.setLoop(!timeline.looping),
    p: () => timeline.toggle(),
    t: theme,
    u: turn,
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

// ---------------------------------------------------------------- files

/** Send a file to the server, which reads it and shows it in this tab. */
async function upload(file: File): Promise<void> {
  if (!thing) return;
  status({ type: "Say", text: `Reading ${file.name} …`, fault: false });
  try {
    const answer = await fetch(`upload/${thing.token}?name=${encodeURIComponent(file.name)}`, { method: "POST", body: file });
    if (!answer.ok) status({ type: "Say", text: await answer.text(), fault: true });
  } catch {
    status({ type: "Say", text: "The file could not be sent; it may be too large, or the server has gone.", fault: true });
  }
}

/** Have the server make a file of what was recorded, and save it. */
async function save(kind: string): Promise<void> {
  if (!thing) return;
  find("menu").classList.remove("open");
  const { title, token } = thing;
  try {
    if (kind === "png") {
      const larger = Math.max(1, WIDE / studio.canvas.clientWidth);
      const picture = studio.picture(Math.round(larger * studio.canvas.clientWidth), Math.round(larger * studio.canvas.clientHeight));
      picture.toBlob((blob) => blob && download(blob, `${title}.png`));
      return;
    }
    status({ type: "Say", text: `Making the ${KINDS[kind] ?? kind} …`, fault: false });
    const answer = await fetch(`export/${token}/${kind}?first=${timeline.first}&last=${timeline.count > 1 ? timeline.last : -1}`);
    if (!answer.ok) {
      status({ type: "Say", text: await answer.text(), fault: true });
      return;
    }
    const name = decodeURIComponent(/filename\*=UTF-8''(\S+)/.exec(answer.headers.get("Content-Disposition") ?? "")?.[1] ?? `neurok.${kind}`);
    download(await answer.blob(), name);
    const warning = answer.headers.get("X-Neurok-Warning") ?? "";
    status({ type: "Say", text: `Saved ${name}. ${warning}`.trim(), fault: warning !== "" });
  } catch {
    status({ type: "Say", text: "The file did not arrive; the server has gone, or was interrupted.", fault: true });
  }
}

const WIDE = 1920; // pixels of a picture, at least
const KINDS: Record<string, string> = { glb: "GLB", usdc: "USD", mp4: "film", html: "page", "strip.png": "film strip", json: "conditions" };

function download(blob: Blob, name: string): void {
  const anchor = document.createElement("a");
  anchor.href = URL.createObjectURL(blob);
  anchor.download = name;
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(anchor.href), 10_000);
}

const input = find<HTMLInputElement>("file");
find("open").addEventListener("click", () => input.click());
input.addEventListener("change", () => {
  if (input.files?.[0]) void upload(input.files[0]);
  input.value = "";
});
document.addEventListener("dragover", (event) => {
  event.preventDefault();
  document.body.classList.add("dropping");
});
document.addEventListener("dragleave", (event) => {
  if (!event.relatedTarget) document.body.classList.remove("dropping");
});
document.addEventListener("drop", (event) => {
  event.preventDefault();
  document.body.classList.remove("dropping");
  const file = event.dataTransfer?.files[0];
  if (file) void upload(file);
});
find("menu-open").addEventListener("click", () => find("menu").classList.toggle("open"));
document.addEventListener("pointerdown", (event) => {
  if (!find("menu").contains(event.target as Node)) find("menu").classList.remove("open");
});
for (const button of document.querySelectorAll<HTMLElement>("[data-export]"))
  button.addEventListener("click", () => void save(button.dataset.export!));

// What tests look at: vertices as they are shown, and how quickly they came.
Object.assign(window, {
  neurok: {
    vertices: () => Array.from(figure?.vertices ?? []),
    latencies: () => hands.latencies,
    updates: () => updates,
    drawn: () => studio.drawn,
    frames: () => recording.count,
    token: () => thing?.token,
    running: () => running,
    playing: () => timeline.playing,
    now: () => timeline.now,
    trimmed: () => [timeline.first, timeline.last],
    placeAt: (x: number, y: number) => hands.placeAt(x, y),
    ratio: () => studio.resolution.moving,
    project: (place: [number, number, number]) => studio.project(place),
  },
});
