import type { Command } from "commander";

/** A command that people give: the words behind the program's name, and what commander knows of it. */
export interface GivenCommand {
  words: string;
  command: Command;
}

/** Every command of a program, found by walking through it. */
export function commandsOf(command: Command, words: string[] = []): GivenCommand[] {
  const commands = command.createHelp().visibleCommands(command);
  const given = commands.filter((one) => one.name() !== "help");
  if (given.length > 0) return given.flatMap((one) => commandsOf(one, [...words, one.name()]));
  return [{ words: words.join(" "), command }];
}
