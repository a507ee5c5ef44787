// Made by neurok/viewer/typescript.py from the server's message classes (`make page`): do not edit.

/** An image in one slot of a material: which image, how it repeats (glTF's numbers), and how strongly it acts. */
export interface PageTexture {
  slot: string;
  image: number;
  wrap_s: number;
  wrap_t: number;
  strength: number;
}

/** A surface, with glTF's meanings. */
export interface PageMaterial {
  color: [number, number, number, number];
  metallic: number;
  roughness: number;
  emissive: [number, number, number];
  alpha_mode: string;
  alpha_cutoff: number;
  textures: PageTexture[];
}

/** Drawn faces of one material, from first to last (that one excluded). */
export interface PageBatch {
  material: number;
  first: number;
  last: number;
}

/** Bytes `first` to `last` of the images, encoded as `mime`. */
export interface PageImage {
  mime: string;
  first: number;
  last: number;
}

/** All that a page draws, but for the motion. rest: vertices of the mesh on the stage, [n, 3]; source: the vertex each drawn one follows, [k]; group: drawn vertices that share a normal, [k]; faces: of drawn vertices, [m, 3]; uv: [k, 2]; color: [k, 4] in 0..255, empty where all is white; images: bytes of all of them. */
export interface Scenery {
  batches: PageBatch[];
  materials: PageMaterial[];
  textures: PageImage[];
  rest: Float32Array;
  source: Uint32Array;
  group: Uint32Array;
  faces: Uint32Array;
  uv: Float32Array;
  color: Uint8Array;
  images: Uint8Array;
}

/** A motion on the stage. coding: bones, morphs or steps. count: frames; fps: of them a second. error: largest, of the diagonal. kinetic, potential: energies [J], [t] each, empty where unknown. status: a sentence on how it was made. bones: [t, b, 3, 4]; joints [n, width]; shares [n, width] in 65535ths. weights: [t, r]; step: the unit of the whole numbers; numbers: [r, n, 3] or [t, n, 3]. */
export interface Clip {
  type: "Clip";
  coding: string;
  count: number;
  fps: number;
  error: number;
  status: string;
  width: number;
  step: number;
  kinetic: Float32Array;
  potential: Float32Array;
  bones: Float32Array;
  joints: Uint16Array;
  shares: Uint16Array;
  weights: Float32Array;
  numbers: Uint8Array;
}

/** What a share page holds. metres: what the stage's unit is. */
export interface SharePage {
  title: string;
  facts: string;
  metres: number;
  scenery: Scenery;
  clip: Clip;
}

/** Take hold of a point: a drawn triangle and the weights of its corners; it stays where it is. */
export interface Grab {
  type: "Grab";
  handle: number;
  triangle: number;
  weights: [number, number, number];
}

/** Bring a held point to a place; the answer carries the stamp. */
export interface Move {
  type: "Move";
  handle: number;
  place: [number, number, number];
  stamp: number;
}

/** Let a point go with the velocity of the pointer [diagonals/s]. */
export interface Release {
  type: "Release";
  handle: number;
  velocity: [number, number, number];
}

/** One coordinate of the state. */
export interface SetCoordinate {
  type: "SetCoordinate";
  index: number;
  value: number;
  stamp: number;
}

/** What acts while time runs: gravity [m/s^2], wind [m/s] towards an angle [degrees], and the object's own. The wind blows to the right at 0 degrees, to the rear at 90. */
export interface Settings {
  type: "Settings";
  gravity: number;
  wind: number;
  wind_angle: number;
  ground: boolean;
  free: boolean;
  stiffness: number;
  damping: number;
}

/** A short push on a point, in a direction; a strength of one sets the object moving at a good pace. */
export interface PushPoint {
  type: "PushPoint";
  triangle: number;
  weights: [number, number, number];
  direction: [number, number, number];
  strength: number;
}

/** Let time run from the present state. */
export interface Run {
  type: "Run";
}

/** Stop time; running on continues the same recording. */
export interface Pause {
  type: "Pause";
}

/** One frame further. */
export interface StepOnce {
  type: "StepOnce";
}

/** Back to rest; nothing held, nothing recorded. */
export interface Reset {
  type: "Reset";
}

/** Make a recorded frame the present state. */
export interface Seek {
  type: "Seek";
  frame: number;
}

/** Show a few plausible states and go to the first. */
export interface Surprise {
  type: "Surprise";
}

/** Go to one of the states shown. */
export interface Choose {
  type: "Choose";
  index: number;
}

/** Which part of the object a coordinate moves. */
export interface ShowRegion {
  type: "ShowRegion";
  index: number;
}

/** Take the shape of a recorded motion and find out how it can be moved. */
export interface DragIt {
  type: "DragIt";
}

/** Another axis of the file points up: 'x', 'y' or 'z'. */
export interface TurnUpright {
  type: "TurnUpright";
  up: string;
}

/** A slider: its name, the region it moves most, its range, and what its numbers are ('°', ' cm', ' %'). shown: whether it moves the object enough to be worth a slider. */
export interface Coordinate {
  name: string;
  moves: string;
  shown: boolean;
  lower: number;
  upper: number;
  unit: string;
  factor: number;
}

/** A piece that moves as one: its name, how it moves in a word or two, and the joint that moves it ('' for none). */
export interface Bone {
  name: string;
  moves: string;
  joint: string;
}

/** A new object: how it looks and what can be done with it. bones: how many bones carry it; 0 where vertices themselves are sent. joints, weights: [n, width] each. named: what the bones are called, where they are pieces that people would call something; else none. movable: whether it can be dragged; a file with a recorded motion is only played. token: names this session in uploads and downloads. metres: what the stage's unit is. up: the file's upward axis. */
export interface Thing {
  type: "Thing";
  token: string;
  title: string;
  facts: string;
  metres: number;
  movable: boolean;
  up: string;
  coordinates: Coordinate[];
  settings: Settings;
  bones: number;
  named: Bone[];
  width: number;
  scenery: Scenery;
  joints: Uint16Array;
  weights: Float32Array;
}

/** Where a held point is now. */
export interface HandlePlace {
  handle: number;
  place: [number, number, number];
}

/** The object now: the bones' motions [b, 3, 4], or the vertices [n, 3]. frame: its number in the recording, -1 where nothing is recorded. energy: kinetic, potential [J]. */
export interface Pose {
  type: "Pose";
  stamp: number;
  frame: number;
  time: number;
  coordinates: number[];
  energy: [number, number];
  handles: HandlePlace[];
  shape: Float32Array;
}

/** What has been recorded: nothing (0), or so many frames; a page throws away those beyond. */
export interface Take {
  type: "Take";
  frames: number;
  fps: number;
  running: boolean;
}

/** States to choose from, each as in a pose, one after another. */
export interface Choices {
  type: "Choices";
  count: number;
  chosen: number;
  shapes: Float32Array;
}

/** How much a coordinate moves each vertex, [n], 255 at most. */
export interface Region {
  type: "Region";
  index: number;
  heat: Uint8Array;
}

/** A sentence for the status line; a fault stays until the next one. */
export interface Say {
  type: "Say";
  text: string;
  fault: boolean;
}

export type FromPage = Grab | Move | Release | SetCoordinate | Settings | PushPoint | Run | Pause | StepOnce | Reset | Seek | Surprise | Choose | ShowRegion | DragIt | TurnUpright;

export type FromServer = Thing | Pose | Take | Clip | Choices | Region | Say;
