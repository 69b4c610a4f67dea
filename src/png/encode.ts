/** An image as rows of pixels: red, green, blue and alpha, multiplied by the alpha. */
export interface Raster {
  readonly width: number;
  readonly height: number;
  readonly pixels: Uint8Array;
}

/** Encodes an image as a PNG with a palette of at most 256 colors (PNG, third edition). */
export async function encodePng(raster: Raster): Promise<Uint8Array<ArrayBuffer>> {
  const { width, height } = raster;
  const { palette, rows } = indexColors(raster);
  const header = new DataView(new ArrayBuffer(13));
  header.setUint32(0, width);
  header.setUint32(4, height);
  // 8 bits for each index into a palette.
  header.setUint16(8, 0x0803);
  const colors = palette.map(straightColor);
  const chunks = [
    chunk("IHDR", new Uint8Array(header.buffer)),
    chunk("PLTE", Uint8Array.from(colors.flatMap(({ rgb }) => rgb))),
    chunk("tRNS", Uint8Array.from(colors, ({ alpha }) => alpha)),
    chunk("IDAT", await compress([rows], "deflate")),
    chunk("IEND", new Uint8Array()),
  ];
  // Frees up to 2.4 MB now, not at a later garbage collection.
  rows.buffer.transfer(0);
  const signature = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return new Uint8Array(await new Blob([signature, ...await Promise.all(chunks)]).arrayBuffer());
}

const MAX_COLORS = 256;

/** Returns the palette of an image and its rows of indexes. */
function indexColors({ width, height, pixels }: Raster) {
  const colors = new Uint32Array(pixels.buffer, pixels.byteOffset, width * height);
  const counts = new Map<number, number>();
  for (const color of colors) counts.set(color, (counts.get(color) ?? 0) + 1);
  // Begin with the most frequent colors, because the first of similar colors represents them all.
  const sorted = [...counts.keys()].sort((a, b) => (counts.get(b) ?? 0) - (counts.get(a) ?? 0));
  const palette: number[] = [];
  const indexes = new Map<number, number>();
  for (let step = 1; step === 1 || palette.length > MAX_COLORS; step++) {
    const groups = new Map<string, number>();
    palette.length = 0;
    for (const color of sorted) {
      const group = [0, 8, 16, 24].map((shift) => ((color >>> shift) & 0xff) / step | 0).join();
      const index = groups.get(group) ?? palette.push(color) - 1;
      groups.set(group, index);
      indexes.set(color, index);
    }
  }
  const rows = new Uint8Array((width + 1) * height);
  colors.forEach((color, at) => {
    // Each row begins with the number of its filter, 0 for none.
    rows[at + Math.floor(at / width) + 1] = indexes.get(color) ?? 0;
  });
  return { palette, rows };
}

/** Returns a color that is not multiplied by its alpha. Its red is in the lowest byte. */
function straightColor(color: number): { rgb: number[]; alpha: number } {
  const alpha = color >>> 24;
  const rgb = [0, 8, 16].map((shift) =>
    alpha === 0 ? 0 : Math.min(255, Math.round(((color >>> shift) & 0xff) * 255 / alpha))
  );
  return { rgb, alpha };
}

/** Returns a chunk: length, type, data and CRC-32. */
async function chunk(type: string, data: Uint8Array<ArrayBuffer>): Promise<Blob> {
  const length = new DataView(new ArrayBuffer(4));
  length.setUint32(0, data.length);
  const content = [new TextEncoder().encode(type), data];
  // The trailer of gzip is this checksum and a length, lowest byte first (RFC 1952, section 2.3.1).
  const checksum = (await compress(content, "gzip")).slice(-8, -4).reverse();
  return new Blob([length, ...content, checksum]);
}

async function compress(parts: readonly Uint8Array<ArrayBuffer>[], format: "deflate" | "gzip") {
  const stream = ReadableStream.from(parts).pipeThrough(new CompressionStream(format));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
