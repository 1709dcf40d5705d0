/** Text of a file that stands beside the code, such as a role of an agent: the bundler puts it into the package. */
declare module '*.md' {
  const text: string;
  export default text;
}
