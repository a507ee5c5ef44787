// Figure: the object as three.js draws it, and its vertices in any pose.

import {
  BufferAttribute,
  BufferGeometry,
  ClampToEdgeWrapping,
  Color,
  DoubleSide,
  Group,
  Material,
  Mesh,
  MeshBasicMaterial,
  MeshStandardMaterial,
  MirroredRepeatWrapping,
  RepeatWrapping,
  SRGBColorSpace,
  Sphere,
  Texture,
  Vector2,
  Vector3,
  type Wrapping,
} from "three";
import type { PageMaterial, PageTexture, Scenery } from "./messages";

/** What moves a figure: bones and the weights of each vertex, or nothing, and vertices come as they are. */
export interface Rig {
  bones: number;
  width: number;
  joints: Uint16Array;
  weights: Float32Array;
}

const WRAPS: Record<number, Wrapping> = { 33071: ClampToEdgeWrapping, 33648: MirroredRepeatWrapping };
const SLOTS: Record<string, ["map" | "metalnessMap" | "normalMap" | "emissiveMap" | "aoMap", boolean]> = {
  base_color: ["map", true],
  metallic_roughness: ["metalnessMap", false],
  normal: ["normalMap", false],
  occlusion: ["aoMap", false],
  emissive: ["emissiveMap", true],
};

export class Figure {
  readonly root = new Group();
  readonly mesh: Mesh;
  /** Vertices of the mesh now, [n, 3]. */
  readonly vertices: Float32Array;
  /** Called when a texture has arrived. */
  onTexture = (): void => {};

  private readonly geometry = new BufferGeometry();
  private readonly positions: Float32Array;
  private readonly normals: Float32Array;
  private readonly groupNormals: Float32Array;
  private readonly heat: Mesh;
  private readonly heatColors: Uint8Array;
  private stale = false;
  private readonly textures: Texture[] = [];
  private readonly urls: string[] = [];

  constructor(
    private readonly scenery: Scenery,
    private readonly rig: Rig,
  ) {
    const count = scenery.source.length;
    this.vertices = scenery.rest.slice();
    this.positions = new Float32Array(3 * count);
    this.normals = new Float32Array(3 * count);
    let groups = 0;
    for (const group of scenery.group) groups = Math.max(groups, group + 1);
    this.groupNormals = new Float32Array(3 * groups);
    this.geometry.setAttribute("position", new BufferAttribute(this.positions, 3));
    this.geometry.setAttribute("normal", new BufferAttribute(this.normals, 3));
    if (scenery.uv.length) this.geometry.setAttribute("uv", new BufferAttribute(scenery.uv, 2));
    if (scenery.color.length) this.geometry.setAttribute("color", new BufferAttribute(scenery.color, 4, true));
    this.geometry.setIndex(new BufferAttribute(scenery.faces, 1));
    for (const batch of scenery.batches)
      this.geometry.addGroup(3 * batch.first, 3 * (batch.last - batch.first), batch.material);
    this.geometry.boundingSphere = new Sphere(new Vector3(), Infinity); // it moves: never cut away, always picked
    this.mesh = new Mesh(this.geometry, this.materials());
    this.mesh.castShadow = this.mesh.receiveShadow = true;
    this.mesh.frustumCulled = false;
    this.heatColors = new Uint8Array(4 * count);
    this.heat = this.overlay();
    this.root.add(this.mesh, this.heat);
    this.refresh();
  }

  /** How high it stands at rest, in diagonals. */
  height(): number {
    let height = 0;
    for (let i = 1; i < this.scenery.rest.length; i += 3) height = Math.max(height, this.scenery.rest[i]);
    return height;
  }

  /** The bone that has most of a drawn triangle; -1 where vertices come as they are. */
  boneAt(triangle: number): number {
    const { bones, width, joints, weights } = this.rig, { faces, source } = this.scenery;
    if (bones === 0) return -1;
    const held = new Float32Array(bones);
    for (let corner = 3 * triangle; corner < 3 * triangle + 3; corner++)
      for (let k = width * source[faces[corner]], end = k + width; k < end; k++) held[joints[k]] += weights[k];
    return held.indexOf(Math.max(...held));
  }

  /** Take a pose: the bones' motions [b, 3, 4], or all vertices [n, 3]. */
  pose(shape: Float32Array): void {
    if (this.rig.bones === 0) this.vertices.set(shape);
    else skin(this.scenery.rest, this.rig, shape, this.vertices);
    this.stale = true;
  }

  /** Bring what is drawn and picked up to the vertices; poses that nobody sees cost no normals. */
  prepare(): void {
    if (this.stale) this.refresh();
    this.stale = false;
  }

  /** Drawn positions and normals from the vertices. */
  private refresh(): void {
    const { source, group, faces } = this.scenery;
    const { vertices, positions, normals, groupNormals } = this;
    for (let i = 0; i < source.length; i++) {
      const s = 3 * source[i];
      positions[3 * i] = vertices[s];
      positions[3 * i + 1] = vertices[s + 1];
      positions[3 * i + 2] = vertices[s + 2];
    }
    groupNormals.fill(0);
    for (let f = 0; f < faces.length; f += 3) {
      const a = 3 * faces[f], b = 3 * faces[f + 1], c = 3 * faces[f + 2];
      const ux = positions[b] - positions[a], uy = positions[b + 1] - positions[a + 1], uz = positions[b + 2] - positions[a + 2];
      const vx = positions[c] - positions[a], vy = positions[c + 1] - positions[a + 1], vz = positions[c + 2] - positions[a + 2];
      const nx = uy * vz - uz * vy, ny = uz * vx - ux * vz, nz = ux * vy - uy * vx;
      for (let k = 0; k < 3; k++) {
        const g = 3 * group[faces[f + k]];
        groupNormals[g] += nx;
        groupNormals[g + 1] += ny;
        groupNormals[g + 2] += nz;
      }
    }
    for (let g = 0; g < groupNormals.length; g += 3) {
      const x = groupNormals[g], y = groupNormals[g + 1], z = groupNormals[g + 2];
      const scale = 1 / (Math.sqrt(x * x + y * y + z * z) || 1);
      groupNormals[g] = x * scale;
      groupNormals[g + 1] = y * scale;
      groupNormals[g + 2] = z * scale;
    }
    for (let i = 0; i < group.length; i++) {
      const g = 3 * group[i];
      normals[3 * i] = groupNormals[g];
      normals[3 * i + 1] = groupNormals[g + 1];
      normals[3 * i + 2] = groupNormals[g + 2];
    }
    this.geometry.attributes.position.needsUpdate = true;
    this.geometry.attributes.normal.needsUpdate = true;
  }

  /** Tint vertices by how much a coordinate moves them, [n] 0..255; null takes the tint away. */
  tint(heat: Uint8Array | null, color: Color): void {
    this.heat.visible = heat !== null;
    if (heat === null) return;
    const [red, green, blue] = [color.r, color.g, color.b].map((x) => Math.round(255 * x));
    const { source } = this.scenery, colors = this.heatColors;
    for (let i = 0, k = 0; i < source.length; i++, k += 4) {
      colors[k] = red;
      colors[k + 1] = green;
      colors[k + 2] = blue;
      colors[k + 3] = 0.8 * heat[source[i]];
    }
    this.heat.geometry.attributes.color.needsUpdate = true;
  }

  private overlay(): Mesh {
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", this.geometry.attributes.position);
    geometry.setAttribute("color", new BufferAttribute(this.heatColors, 4, true));
    geometry.setIndex(this.geometry.index);
    geometry.boundingSphere = this.geometry.boundingSphere;
    const material = new MeshBasicMaterial({
      vertexColors: true, transparent: true, side: DoubleSide, depthWrite: false,
      polygonOffset: true, polygonOffsetFactor: -1, polygonOffsetUnits: -1,
    });
    const mesh = new Mesh(geometry, material);
    mesh.frustumCulled = mesh.visible = false;
    mesh.raycast = () => {};
    return mesh;
  }

  private materials(): Material[] {
    const colored = this.scenery.color.length > 0;
    return this.scenery.materials.map((one) => this.material(one, colored));
  }

  private material(one: PageMaterial, colored: boolean): Material {
    const material = new MeshStandardMaterial({
      color: new Color(one.color[0], one.color[1], one.color[2]),
      metalness: one.metallic,
      roughness: one.roughness,
      emissive: new Color(...one.emissive),
      side: DoubleSide, // files are careless about which side is out, and a hole looks worse than a back
      vertexColors: colored,
    });
    if (one.alpha_mode === "BLEND") {
      material.transparent = true;
      material.opacity = one.color[3];
      material.depthWrite = false;
    } else if (one.alpha_mode === "MASK") material.alphaTest = one.alpha_cutoff;
    for (const use of one.textures) this.dress(material, use);
    return material;
  }

  private dress(material: MeshStandardMaterial, use: PageTexture): void {
    const slot = SLOTS[use.slot];
    if (!slot) return;
    const { mime, first, last } = this.scenery.textures[use.image];
    const url = URL.createObjectURL(new Blob([this.scenery.images.slice(first, last)], { type: mime }));
    this.urls.push(url);
    const image = new Image();
    image.onload = () => {
      const texture = new Texture(image);
      texture.flipY = false;
      texture.wrapS = WRAPS[use.wrap_s] ?? RepeatWrapping;
      texture.wrapT = WRAPS[use.wrap_t] ?? RepeatWrapping;
      texture.anisotropy = 4;
      if (slot[1]) texture.colorSpace = SRGBColorSpace;
      texture.needsUpdate = true;
      material[slot[0]] = texture;
      if (slot[0] === "metalnessMap") material.roughnessMap = texture;
      if (slot[0] === "normalMap") material.normalScale = new Vector2(use.strength, use.strength);
      if (slot[0] === "aoMap") material.aoMapIntensity = use.strength;
      material.needsUpdate = true;
      this.textures.push(texture);
      this.onTexture();
    };
    image.src = url;
  }

  dispose(): void {
    this.geometry.dispose();
    this.heat.geometry.dispose();
    for (const material of this.mesh.material as Material[]) material.dispose();
    for (const texture of this.textures) texture.dispose();
    for (const url of this.urls) URL.revokeObjectURL(url);
  }
}

/** Vertices [n, 3] carried by bones [b, 3, 4]: linear blend skinning. */
export function skin(rest: Float32Array, rig: Rig, bones: Float32Array, out: Float32Array): void {
  const { width, joints, weights } = rig;
  for (let v = 0, n = rest.length / 3; v < n; v++) {
    const x = rest[3 * v], y = rest[3 * v + 1], z = rest[3 * v + 2];
    let a = 0, b = 0, c = 0;
    for (let j = v * width; j < (v + 1) * width; j++) {
      const w = weights[j];
      if (w === 0) continue;
      const k = 12 * joints[j];
      a += w * (bones[k] * x + bones[k + 1] * y + bones[k + 2] * z + bones[k + 3]);
      b += w * (bones[k + 4] * x + bones[k + 5] * y + bones[k + 6] * z + bones[k + 7]);
      c += w * (bones[k + 8] * x + bones[k + 9] * y + bones[k + 10] * z + bones[k + 11]);
    }
    out[3 * v] = a;
    out[3 * v + 1] = b;
    out[3 * v + 2] = c;
  }
}
