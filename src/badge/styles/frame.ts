import type { Content } from "./style.ts";

/** What surrounds every badge: its size in pixels and its text for those who do not see it. */
export interface Frame extends Pick<Content, "label" | "message"> {
  readonly width: number;
  readonly height: number;
  /** A style element or nothing. */
  readonly css: string;
}

/** Puts the drawing into an SVG document that says "label: message" to a screen reader. */
export function frame({ width, height, label, message, css }: Frame, drawing: string): string {
  const text = label.spoken === "" ? message.spoken : `${label.spoken}: ${message.spoken}`;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" role="img" aria-label="${text}">` +
    `<title>${text}</title>${css}${drawing}</svg>`;
}
