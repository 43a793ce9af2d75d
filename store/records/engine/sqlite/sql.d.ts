declare module "*.sql" {
  const text: string;
  // biome-ignore lint/style/noDefaultExport: the bundler gives imported text this form.
  export default text;
}
