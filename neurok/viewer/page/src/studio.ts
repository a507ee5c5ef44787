// Studio: light, floor, camera. It draws only when something has changed.

import {
  ACESFilmicToneMapping,
  AmbientLight,
  Color,
  DirectionalLight,
  HemisphereLight,
  Mesh,
  Object3D,
  PCFSoftShadowMap,
  PerspectiveCamera,
  PlaneGeometry,
  PMREMGenerator,
  Scene,
  ShaderMaterial,
  ShadowMaterial,
  Vector3,
  WebGLRenderer,
} from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { RoomEnvironment } from "three/addons/environments/RoomEnvironment.js";
import { Resolution } from "./resolution";

const LIGHT = { background: "#f3f4f6", line: "#9aa3b2", strength: 0.36, shadow: 0.22 };
const DARK = { background: "#15171c", line: "#8b96b0", strength: 0.5, shadow: 0.5 };

const BAR = 64; // pixels at the top that are covered as well
const DEAREST = 150; // milliseconds that a picture is thought to cost at most: other things take time as well
const SETTLED = 180; // milliseconds without a change, after which a coarse picture is drawn again, finely

const GRID_VERTEX = `varying vec2 place; void main() { vec4 world = modelMatrix * vec4(position, 1.0); place = world.xz;
  gl_Position = projectionMatrix * viewMatrix * world; }`;
const GRID_FRAGMENT = `varying vec2 place; uniform vec3 color; uniform float cell; uniform float strength;
float lines(vec2 p) { vec2 w = fwidth(p); vec2 d = abs(fract(p - 0.5) - 0.5) / max(w, 1e-6);
  return (1.0 - min(min(d.x, d.y), 1.0)) * (1.0 - smoothstep(0.2, 0.6, max(w.x, w.y))); }
void main() { float fade = 1.0 - smoothstep(0.6, 3.2, length(place));
  float a = max(0.45 * lines(place / cell), lines(place / (5.0 * cell)));
  gl_FragColor = vec4(color, a * fade * strength); }`;

/** Whether there is no graphics card behind WebGL: then shadows and reflections cost more than they give. */
function isSoftware(): boolean {
  const context = document.createElement("canvas").getContext("webgl2");
  const info = context?.getExtension("WEBGL_debug_renderer_info");
  const name = info ? String(context!.getParameter(info.UNMASKED_RENDERER_WEBGL)) : "";
  context?.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|software|basic render/i.test(name);
}

export class Studio {
  readonly scene = new Scene();
  readonly camera = new PerspectiveCamera(32, 1, 0.02, 60);
  readonly controls: OrbitControls;
  readonly renderer: WebGLRenderer;
  /** Called before each picture. */
  onDraw = (): void => {};
  /** Pictures drawn so far. */
  drawn = 0;

  /** Pixels at the right and at the bottom that a panel covers: the object stands in the middle of the rest. */
  inset: () => [number, number] = () => [0, 0];

  /** Things that are no part of the object: left out of small pictures. */
  readonly scenes: Object3D[] = [];

  private readonly grid: ShaderMaterial;
  private readonly floor: ShadowMaterial;
  private dirty = true;
  private fence: WebGLSync | null = null;
  readonly resolution: Resolution;
  private moved = false; // whether the last picture was one of a motion
  private touched = 0;
  private drawnAt = 0;
  private cost = 0;

  constructor(readonly canvas: HTMLCanvasElement) {
    const soft = isSoftware();
    this.renderer = new WebGLRenderer({ canvas, antialias: !soft });
    this.renderer.toneMapping = ACESFilmicToneMapping;
    this.renderer.toneMappingExposure = 1.05;
    this.resolution = new Resolution(soft ? 1 : Math.min(devicePixelRatio, 2));
    this.renderer.setPixelRatio(this.resolution.full);
    const sun = new DirectionalLight("#ffffff", 1.6);
    sun.position.set(1.2, 2.6, 1.6);
    if (!soft) {
      this.renderer.shadowMap.enabled = true;
      this.renderer.shadowMap.type = PCFSoftShadowMap;
      sun.castShadow = true;
      sun.shadow.mapSize.set(2048, 2048);
      sun.shadow.bias = -0.0004;
      sun.shadow.normalBias = 0.01;
      sun.shadow.radius = 6;
      const eye = sun.shadow.camera;
      [eye.left, eye.right, eye.top, eye.bottom, eye.near, eye.far] = [-1.6, 1.6, 1.6, -1.6, 0.5, 7];
    }
    if (soft) this.scene.add(new HemisphereLight("#ffffff", "#8d93a3", 2.1));
    else {
      const generator = new PMREMGenerator(this.renderer);
      this.scene.environment = generator.fromScene(new RoomEnvironment(), 0.04).texture;
      this.scene.environmentIntensity = 0.55;
      this.scene.add(new AmbientLight("#ffffff", 0.25));
    }
    this.grid = new ShaderMaterial({
      vertexShader: GRID_VERTEX, fragmentShader: GRID_FRAGMENT, transparent: true, depthWrite: false,
      uniforms: { color: { value: new Color() }, cell: { value: 0.1 }, strength: { value: 1 } },
    });
    this.floor = new ShadowMaterial({ transparent: true, depthWrite: false });
    const flat = new PlaneGeometry(8, 8).rotateX(-Math.PI / 2);
    const ground = new Mesh(flat, this.grid);
    const shade = new Mesh(flat, this.floor);
    ground.position.y = -0.002;
    shade.position.y = -0.0015;
    shade.receiveShadow = true;
    for (const plane of [ground, shade]) plane.raycast = () => {};
    this.scene.add(sun, ground, shade);
    this.scenes.push(ground, shade);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enableDamping = true;
    this.controls.dampingFactor = 0.12;
    this.controls.minDistance = 0.15;
    this.controls.maxDistance = 12;
    this.controls.addEventListener("change", () => this.touch());
    new ResizeObserver(() => this.resize()).observe(canvas);
    this.resize();
    requestAnimationFrame(() => this.loop());
  }

  theme(dark: boolean): void {
    const look = dark ? DARK : LIGHT;
    this.scene.background = new Color(look.background);
    (this.grid.uniforms.color.value as Color).set(look.line);
    this.grid.uniforms.strength.value = look.strength;
    this.floor.opacity = look.shadow;
    this.touch();
  }

  /** A cell of the grid, in diagonals. */
  set cell(value: number) {
    this.grid.uniforms.cell.value = value;
    this.touch();
  }

  /** Look at something of this height (its diagonal is one) with room to move. */
  frame(height: number): void {
    const [right, bottom] = this.inset();
    const free = (this.canvas.clientWidth - right) / Math.max(this.canvas.clientHeight - bottom, 1);
    const covered = this.canvas.clientHeight / Math.max(this.canvas.clientHeight - bottom - BAR, 1);
    const distance = (2.3 * covered) / Math.min(Math.max(free / 1.1, 0.35), 1);
    const target = new Vector3(0, Math.max(0.5 * height, 0.12), 0);
    this.camera.position.copy(target).add(new Vector3(-0.55, 0.5, 0.83).normalize().multiplyScalar(distance));
    this.controls.target.copy(target);
    this.controls.update();
    this.touch();
  }

  add(...things: Object3D[]): void {
    this.scene.add(...things);
    this.touch();
  }

  remove(...things: Object3D[]): void {
    this.scene.remove(...things);
    this.touch();
  }

  /** Something has changed. */
  touch(): void {
    this.dirty = true;
    this.touched = performance.now();
  }

  /** Where a place is seen, in pixels of the page. */
  project(place: [number, number, number]): [number, number] {
    this.camera.updateMatrixWorld();
    const at = new Vector3(...place).project(this.camera);
    const box = this.canvas.getBoundingClientRect();
    return [box.left + (0.5 + 0.5 * at.x) * box.width, box.top + (0.5 - 0.5 * at.y) * box.height];
  }

  draw(): void {
    this.onDraw();
    this.renderer.render(this.scene, this.camera);
    this.drawn++;
  }

  /**
   * Small pictures from the present side and so far away, without a floor, one for each call of `arrange`; `restore`
   * then makes everything as it was.
   */
  pictures(size: [number, number], distance: number, count: number, arrange: (index: number) => void, restore: () => void): HTMLCanvasElement[] {
    const eye = this.camera.clone();
    const middle = new Vector3(0, this.controls.target.y, 0);
    const side = this.camera.position.clone().sub(this.controls.target).normalize();
    eye.position.copy(middle).addScaledVector(side, distance);
    eye.lookAt(middle);
    const found: HTMLCanvasElement[] = [];
    this.plain(true);
    for (let index = 0; index < count; index++) {
      arrange(index);
      found.push(this.photograph(eye, ...size, 2));
    }
    this.plain(false);
    restore();
    this.resize();
    return found;
  }

  /** A picture of what is seen, the object in its middle however much of the page a panel covers. */
  picture(width: number, height: number): HTMLCanvasElement {
    this.onDraw();
    const taken = this.photograph(this.camera.clone(), width, height, 2);
    this.resize();
    return taken;
  }

  /** What a camera sees, drawn so many times larger and then reduced: smooth edges on any machine. */
  private photograph(eye: PerspectiveCamera, width: number, height: number, times: number): HTMLCanvasElement {
    const ratio = this.renderer.getPixelRatio();
    this.renderer.setPixelRatio(1);
    this.renderer.setSize(times * width, times * height, false);
    eye.aspect = width / height;
    eye.clearViewOffset();
    eye.updateProjectionMatrix();
    this.renderer.render(this.scene, eye);
    const copy = document.createElement("canvas");
    [copy.width, copy.height] = [width, height];
    const context = copy.getContext("2d")!;
    context.imageSmoothingQuality = "high";
    context.drawImage(this.canvas, 0, 0, width, height);
    this.renderer.setPixelRatio(ratio);
    return copy;
  }

  /** Take the floor and whatever else is no part of the object away, or put it back. */
  private plain(on: boolean): void {
    for (const thing of this.scenes) thing.visible = !on;
  }

  /** Fit the picture to its place on the page. */
  resize(): void {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    if (!width || !height) return;
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    const [right, bottom] = this.inset();
    this.camera.setViewOffset(width, height, 0.5 * right, 0.5 * bottom, width, height);
    this.draw();
  }

  /** Whether the last picture is finished: where drawing is slow, pictures are left out and hands are not kept waiting. */
  private isIdle(): boolean {
    if (!this.fence) return true;
    const context = this.renderer.getContext() as WebGL2RenderingContext;
    if (context.getSyncParameter(this.fence, context.SYNC_STATUS) !== context.SIGNALED && !context.isContextLost()) return false;
    context.deleteSync(this.fence);
    this.fence = null;
    if (this.moved) this.resolution.note(performance.now() - this.drawnAt, this.renderer.getPixelRatio());
    return true;
  }

  private loop(): void {
    requestAnimationFrame(() => this.loop());
    const now = performance.now();
    // What the last picture cost, seen from here: until the page could do something else.
    if (this.drawnAt && !this.cost) this.cost = Math.min(now - this.drawnAt, DEAREST);
    this.controls.update();
    const rests = now - this.touched > SETTLED && this.renderer.getPixelRatio() < this.resolution.full;
    if (!this.isIdle() || !(this.dirty || rests) || (this.dirty && now - this.drawnAt < 2 * this.cost)) return;
    this.moved = this.dirty;
    this.setRatio(rests && !this.dirty ? this.resolution.full : this.resolution.moving);
    this.dirty = false;
    this.drawnAt = performance.now();
    this.cost = 0;
    this.draw();
    const context = this.renderer.getContext() as WebGL2RenderingContext;
    this.fence = context.fenceSync(context.SYNC_GPU_COMMANDS_COMPLETE, 0);
    context.flush();
  }

  /** Where drawing is slow, coarse pictures while something moves and a fine one when it has stopped. */
  private setRatio(ratio: number): void {
    if (this.renderer.getPixelRatio() !== ratio) this.renderer.setPixelRatio(ratio);
  }
}

/** Fit the grid to an object whose diagonal has so many metres; what a cell is, in words. */
export function gridWords(studio: Studio, metres: number): string {
  const tenth = 0.1 * metres;
  const power = 10 ** Math.floor(Math.log10(tenth));
  const cell = power * ([5, 2, 1].find((step) => step * power <= tenth * 1.0001) ?? 1);
  studio.cell = cell / metres;
  const units: [string, number][] = [["km", 1e3], ["m", 1], ["cm", 1e-2], ["mm", 1e-3]];
  for (const [unit, size] of units) if (cell >= 0.999 * size) return `grid ${Number((cell / size).toPrecision(2))} ${unit}`;
  return `grid ${cell.toPrecision(1)} m`;
}
