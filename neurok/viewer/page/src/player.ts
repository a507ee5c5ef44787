// The page of a shared motion: everything it needs is in its own file.

import { decode } from "./clip";
import { joules } from "./energy";
import { Figure } from "./figure";
import type { SharePage } from "./messages";
import { unpack } from "./packets";
import { gridWords, Studio } from "./studio";
import { startTheme } from "./theme";
import { Timeline } from "./timeline";

const find = <T extends HTMLElement>(id: string): T => document.getElementById(id) as T;

async function read(): Promise<SharePage> {
  const text = find("data").textContent!.trim();
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return unpack<SharePage>(await new Response(stream).arrayBuffer());
}

async function main(): Promise<void> {
  const share = await read();
  const studio = new Studio(find<HTMLCanvasElement>("view"));
  const figure = new Figure(share.scenery, { bones: 0, width: 0, joints: new Uint16Array(), weights: new Float32Array() });
  figure.onTexture = () => studio.touch();
  studio.add(figure.root);
  find("title").textContent = share.title;
  find("facts").textContent = share.facts;
  const words = [share.clip.status];
  if (share.clip.kinetic.length) words.push(`Kinetic energy up to ${joules(Math.max(...share.clip.kinetic))}.`);
  find("status").textContent = words.filter(Boolean).join(" ");
  find("scale").textContent = gridWords(studio, share.metres);
  const timeline = new Timeline({
    root: find("timeline"), track: find("track"), fill: find("fill"), knob: find("knob"), from: find("from"), to: find("to"),
    clock: find("clock"), replay: find("replay"), loop: find("loop"), plot: find<HTMLCanvasElement>("plot"),
  });
  studio.onDraw = () => figure.prepare();
  timeline.onShow = (frame) => {
    figure.pose(timeline.frames.shape(frame));
    studio.touch();
  };
  const shape = decode(share.clip, share.scenery.rest);
  const { fps, count, kinetic, potential } = share.clip;
  const theme = startTheme(find("theme"), (dark) => {
    studio.theme(dark);
    timeline.update();
  });
  studio.frame(figure.height());
  timeline.load({ fps, count, kinetic, potential, shape });
  timeline.scrub(0);
  timeline.toggle();
  document.addEventListener("keydown", (event) => {
    const keys: Record<string, () => void> = {
      " ": () => timeline.toggle(),
      l: () => timeline.setLoop(!timeline.looping),
      t: theme,
      ArrowLeft: () => timeline.scrub(timeline.now - 1),
      ArrowRight: () => timeline.scrub(timeline.now + 1),
    };
    const act = keys[event.key];
    if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    act();
  });
  document.body.classList.add("ready");
  // What tests look at.
  Object.assign(window, { neurok: { vertices: (frame: number) => Array.from(shape(frame)), now: () => timeline.now, drawn: () => studio.drawn } });
}

main().catch((fault) => {
  find("facts").textContent = `This page cannot be shown: ${fault}`;
});
