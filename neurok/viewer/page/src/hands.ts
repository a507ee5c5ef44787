// Hands: points of the object that are held, dragged, pinned, thrown and pushed.

import { Group, Line, BufferGeometry, LineBasicMaterial, Mesh, MeshBasicMaterial, Plane, Raycaster, SphereGeometry, Vector2, Vector3 } from "three";
import type { Figure } from "./figure";
import type { FromPage, Pose } from "./messages";
import type { Studio } from "./studio";

export type Tool = "drag" | "pin" | "push";
type Triple = [number, number, number];

interface Hand {
  id: number;
  pinned: boolean;
  target: Vector3;
  marker: Mesh;
  line: Line;
}

/** Where an event points to. */
type Pointed = Pick<MouseEvent, "clientX" | "clientY" | "target">;

interface Hit {
  triangle: number;
  weights: Triple;
  place: Vector3;
}

/** A finger or mouse button that is down on the object. */
interface Grip {
  hand: Hand;
  plane: Plane;
  offset: Vector3;
  trail: { time: number; place: Vector3 }[];
  moved: boolean;
  keeps: boolean;
}

const HELD = "#3b6ef6";
const PINNED = "#f59e0b";
const NEAR = 16; // pixels within which a pin is taken hold of
const STOPPED = 100; // milliseconds without a movement after which a hand no longer throws
const TRAIL = 110; // milliseconds of movement that make the speed of a throw

export class Hands {
  tool: Tool = "drag";
  strength = 1;
  figure: Figure | null = null;
  /** Whether anything can be held at all. */
  enabled = true;
  onFirstUse = (): void => {};
  /** Called when the object is taken hold of. */
  onGrab = (): void => {};
  /** The pointer is over a drawn triangle of the object, or over none (-1). */
  onHover = (_triangle: number, _x: number, _y: number): void => {};
  /** Milliseconds from a mouse move to the vertices it led to. */
  readonly latencies: number[] = [];

  private readonly hands = new Map<number, Hand>();
  private readonly grips = new Map<number, Grip>();
  private readonly group = new Group();
  private readonly caster = new Raycaster();
  private readonly sent = new Map<number, number>();
  private waiting = 0;
  private readonly pending = new Map<Hand, number>(); // hands that have moved since, and when
  private stamp = 0;
  private next = 1;
  private hovered = 0; // until when nothing is picked

  constructor(
    private readonly studio: Studio,
    private readonly say: (message: FromPage) => void,
    surface: HTMLElement,
  ) {
    studio.add(this.group);
    studio.scenes.push(this.group);
    const before = { capture: true };
    surface.addEventListener("pointerdown", (event) => this.down(event), before);
    surface.addEventListener("pointermove", (event) => this.move(event), before);
    surface.addEventListener("pointerup", (event) => this.up(event), before);
    surface.addEventListener("pointercancel", (event) => this.up(event), before);
    surface.addEventListener("pointerleave", () => this.onHover(-1, 0, 0));
    surface.addEventListener("dblclick", (event) => this.unpin(event));
    surface.addEventListener("contextmenu", (event) => event.preventDefault());
  }

  /** How many points are held. */
  get count(): number {
    return this.hands.size;
  }

  releaseAll(): void {
    for (const hand of [...this.hands.values()]) this.drop(hand, [0, 0, 0]);
    this.grips.clear();
    this.studio.controls.enabled = true;
  }

  /** Forget everything without telling the server, which has forgotten it already. */
  clear(): void {
    for (const hand of [...this.hands.values()]) this.erase(hand);
    this.grips.clear();
    this.pending.clear();
    this.sent.clear();
    this.waiting = 0;
    this.studio.controls.enabled = true;
  }

  /** A pose has arrived: markers go along, and the next move may be sent. */
  follow(pose: Pose): void {
    const began = this.sent.get(pose.stamp);
    if (began !== undefined) {
      this.latencies.push(performance.now() - began);
      if (this.latencies.length > 1000) this.latencies.shift();
      for (const stamp of this.sent.keys()) if (stamp <= pose.stamp) this.sent.delete(stamp);
    }
    const held = new Set(pose.handles.map((one) => one.handle));
    for (const { handle, place } of pose.handles) this.hands.get(handle)?.marker.position.set(...place);
    for (const hand of [...this.hands.values()])
      if (!held.has(hand.id) && ![...this.grips.values()].some((grip) => grip.hand === hand)) this.erase(hand);
    this.waiting = 0;
    const [next] = this.pending;
    if (next) this.send(...next);
    this.studio.touch();
  }

  /** Markers keep their size on the screen, and a thread shows where a point wants to be. */
  arrange(): void {
    for (const hand of this.hands.values()) {
      const distance = hand.marker.position.distanceTo(this.studio.camera.position);
      hand.marker.scale.setScalar(0.0075 * distance);
      const ends = hand.line.geometry.attributes.position;
      ends.setXYZ(0, ...hand.marker.position.toArray());
      ends.setXYZ(1, ...hand.target.toArray());
      ends.needsUpdate = true;
      hand.line.visible = hand.marker.position.distanceTo(hand.target) > 0.01;
    }
  }

  private down(event: PointerEvent): void {
    if (event.button !== 0 || !this.enabled) return;
    const pin = this.pinAt(event);
    const hit = pin ? null : this.pick(event);
    if (!pin && !hit) return;
    event.preventDefault();
    this.studio.controls.enabled = false;
    (event.target as Element).setPointerCapture(event.pointerId);
    this.onFirstUse();
    (document.activeElement as HTMLElement | null)?.blur();
    if (hit && this.tool === "push") {
      const direction = this.caster.ray.direction.toArray() as Triple;
      this.say({ type: "PushPoint", triangle: hit.triangle, weights: hit.weights, direction, strength: this.strength });
      return;
    }
    this.onGrab();
    this.onHover(-1, 0, 0);
    const hand = pin ?? this.grab(hit!, this.tool === "pin" || event.shiftKey);
    const facing = this.studio.camera.getWorldDirection(new Vector3()).negate();
    const plane = new Plane().setFromNormalAndCoplanarPoint(facing, hand.marker.position);
    const at = this.onPlane(event, plane) ?? hand.marker.position.clone();
    this.grips.set(event.pointerId, {
      hand, plane, offset: hand.marker.position.clone().sub(at), trail: [], moved: false, keeps: hand.pinned,
    });
  }

  private move(event: PointerEvent): void {
    const grip = this.grips.get(event.pointerId);
    if (!grip) {
      this.hover(event);
      return;
    }
    // Where pages are slow, browsers hand over several movements at once; a throw needs them all.
    const all = event.getCoalescedEvents?.() ?? [];
    for (const one of all.length ? all : [event]) {
      const at = this.onPlane(one, grip.plane);
      if (!at) continue;
      grip.hand.target.copy(at.add(grip.offset));
      grip.trail.push({ time: one.timeStamp, place: grip.hand.target.clone() });
    }
    grip.moved = true;
    while (grip.trail.length > 2 && event.timeStamp - grip.trail[0].time > TRAIL) grip.trail.shift();
    this.send(grip.hand, event.timeStamp);
    this.studio.touch();
  }

  private up(event: PointerEvent): void {
    const grip = this.grips.get(event.pointerId);
    if (this.grips.size <= 1) this.studio.controls.enabled = true;
    if (!grip) return;
    this.grips.delete(event.pointerId);
    if (grip.keeps) return;
    this.drop(grip.hand, grip.moved ? speed(grip, event.timeStamp) : [0, 0, 0]);
  }

  private unpin(event: MouseEvent): void {
    const pin = this.pinAt(event);
    if (pin) this.drop(pin, [0, 0, 0]);
  }

  private hover(event: PointerEvent): void {
    if (event.buttons || event.pointerType === "touch" || event.timeStamp - this.hovered < 80) return;
    const began = performance.now();
    const hit = this.enabled ? this.pick(event) : null;
    const over = hit !== null || (this.enabled && this.pinAt(event) !== null);
    this.onHover(hit ? hit.triangle : -1, event.clientX, event.clientY);
    this.studio.canvas.style.cursor = over ? (this.tool === "push" ? "crosshair" : "grab") : "";
    // Picking among many triangles takes its time: looking is never most of what the page does.
    this.hovered = event.timeStamp + 4 * (performance.now() - began);
  }

  private grab(hit: Hit, pinned: boolean): Hand {
    const marker = new Mesh(new SphereGeometry(1, 20, 14), new MeshBasicMaterial({ color: pinned ? PINNED : HELD, depthTest: false, transparent: true }));
    const thread = new BufferGeometry().setFromPoints([hit.place, hit.place]);
    const line = new Line(thread, new LineBasicMaterial({ color: pinned ? PINNED : HELD, depthTest: false, transparent: true }));
    marker.position.copy(hit.place);
    marker.renderOrder = line.renderOrder = 10;
    line.frustumCulled = false;
    marker.raycast = line.raycast = () => {};
    const hand: Hand = { id: this.next++, pinned, target: hit.place.clone(), marker, line };
    this.hands.set(hand.id, hand);
    this.group.add(marker, line);
    this.say({ type: "Grab", handle: hand.id, triangle: hit.triangle, weights: hit.weights });
    this.studio.touch();
    return hand;
  }

  /**
   * Say where a hand is, one at a time: a move that comes while one is under way replaces the one of the same hand
   * that waits. `moved`: when the hand was there, by the clock of the page's events.
   */
  private send(hand: Hand, moved: number): void {
    const now = performance.now();
    if (this.waiting && now - this.waiting < 250) {
      this.pending.set(hand, moved); // a map keeps its order: no hand waits for ever
      return;
    }
    this.pending.delete(hand);
    this.waiting = now;
    this.stamp = (this.stamp % 1_000_000_000) + 1;
    this.sent.set(this.stamp, moved);
    this.say({ type: "Move", handle: hand.id, place: hand.target.toArray() as Triple, stamp: this.stamp });
  }

  private drop(hand: Hand, velocity: Triple): void {
    if (this.pending.delete(hand)) {
      // The last place first, so that the object is where it was let go.
      this.say({ type: "Move", handle: hand.id, place: hand.target.toArray() as Triple, stamp: 0 });
    }
    this.say({ type: "Release", handle: hand.id, velocity });
    this.erase(hand);
  }

  private erase(hand: Hand): void {
    this.hands.delete(hand.id);
    this.group.remove(hand.marker, hand.line);
    hand.marker.geometry.dispose();
    hand.line.geometry.dispose();
    this.studio.touch();
  }

  private pinAt(event: MouseEvent): Hand | null {
    const box = this.studio.canvas.getBoundingClientRect();
    for (const hand of this.hands.values()) {
      const at = hand.marker.position.clone().project(this.studio.camera);
      const x = box.left + (0.5 + 0.5 * at.x) * box.width;
      const y = box.top + (0.5 - 0.5 * at.y) * box.height;
      if (hand.pinned && Math.hypot(event.clientX - x, event.clientY - y) < NEAR) return hand;
    }
    return null;
  }

  /** The place of the object that is seen at a pixel of the page; null where there is none. */
  placeAt(x: number, y: number): Triple | null {
    const hit = this.pick({ clientX: x, clientY: y, target: this.studio.canvas });
    return hit ? (hit.place.toArray() as Triple) : null;
  }

  private aim(event: Pointed): void {
    const box = this.studio.canvas.getBoundingClientRect();
    const x = (2 * (event.clientX - box.left)) / box.width - 1;
    const y = 1 - (2 * (event.clientY - box.top)) / box.height;
    this.caster.setFromCamera(new Vector2(x, y), this.studio.camera);
  }

  private pick(event: Pointed): Hit | null {
    if (!this.figure || event.target !== this.studio.canvas) return null;
    this.aim(event);
    this.figure.prepare();
    const [hit] = this.caster.intersectObject(this.figure.mesh, false);
    if (!hit?.face || hit.faceIndex == null) return null;
    const corner = (i: number) => new Vector3().fromBufferAttribute(this.figure!.mesh.geometry.attributes.position as never, i);
    const [a, b, c] = [corner(hit.face.a), corner(hit.face.b), corner(hit.face.c)];
    return { triangle: hit.faceIndex, weights: barycentric(hit.point, a, b, c), place: hit.point.clone() };
  }

  private onPlane(event: MouseEvent, plane: Plane): Vector3 | null {
    this.aim(event);
    return this.caster.ray.intersectPlane(plane, new Vector3());
  }
}

/** How fast a hand moved when it let go [diagonals/s]; nothing where it had stopped before. */
function speed(grip: Grip, now: number): Triple {
  const first = grip.trail[0], last = grip.trail[grip.trail.length - 1];
  if (!first || now - last.time > STOPPED || last.time - first.time < 4) return [0, 0, 0];
  return last.place.clone().sub(first.place).multiplyScalar(1000 / (last.time - first.time)).toArray() as Triple;
}

function barycentric(p: Vector3, a: Vector3, b: Vector3, c: Vector3): Triple {
  const u = b.clone().sub(a), v = c.clone().sub(a), w = p.clone().sub(a);
  const [uu, uv, vv, wu, wv] = [u.dot(u), u.dot(v), v.dot(v), w.dot(u), w.dot(v)];
  const area = uu * vv - uv * uv;
  if (!(area > 0)) return [1, 0, 0];
  const [s, t] = [(vv * wu - uv * wv) / area, (uu * wv - uv * wu) / area];
  return [1 - s - t, s, t].map((x) => Math.min(Math.max(x, 0), 1)) as Triple;
}
