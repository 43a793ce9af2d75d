declare module "*.txt" {
  const text: string;
  // biome-ignore lint/style/noDefaultExport: the bundler gives imported files this form.
  export default text;
}
