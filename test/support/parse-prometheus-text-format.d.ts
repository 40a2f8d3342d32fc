declare module 'parse-prometheus-text-format' {
  /** Returns the families of metrics in a text. */
  const parse: (text: string) => object[];
  export default parse;
}
