/** What a parameter may be, as JSON Schema (and so OpenAPI) says it. */
export interface ParameterSchema {
  readonly type: "string" | "integer";
  readonly default?: string | number;
  readonly enum?: readonly string[];
  readonly examples?: readonly string[];
  readonly pattern?: string;
  readonly format?: "date";
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
}

/** One query parameter: its name, what it means in Markdown, and what it may be. */
export interface Parameter<Name extends string = string> {
  readonly name: Name;
  readonly meaning: string;
  readonly schema: ParameterSchema;
  /** Whether a text is one of its values; without this, what is not understood is as good as the default. */
  readonly accepts?: (text: string) => boolean;
  /** How often it may be given, if more than once. */
  readonly maxTimes?: number;
}
