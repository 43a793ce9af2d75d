import type { Command, Help } from "commander";
import type { CommandText } from "../docs/commands.ts";

/** Every command that people call, with what its `--help` says. */
export function describeCommands(program: Command): CommandText[] {
  const help = program.createHelp();
  return leaves(program, help).map((command) => describe(command, help));
}

function leaves(command: Command, help: Help): Command[] {
  const below = help.visibleCommands(command).filter((one) => one.name() !== "help");
  return below.length === 0 ? [command] : below.flatMap((one) => leaves(one, help));
}

function describe(command: Command, help: Help): CommandText {
  return {
    name: pathOf(command),
    description: help.commandDescription(command),
    usage: help.commandUsage(command),
    arguments: help
      .visibleArguments(command)
      .map((one) => ({ term: help.argumentTerm(one), is: help.argumentDescription(one) })),
    options: help
      .visibleOptions(command)
      .map((one) => ({ term: help.optionTerm(one), is: help.optionDescription(one) })),
    more: textAfter(command),
  };
}

const pathOf = (command: Command): string =>
  command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name();

/** What stands below the options: examples, and what else a command says of itself. */
function textAfter(command: Command): string {
  let text = "";
  const kept = command.configureOutput();
  command.configureOutput({ ...kept, writeOut: (more) => (text += more) });
  command.outputHelp();
  command.configureOutput(kept);
  return text.slice(command.helpInformation().length).trim();
}
