// Starts `anabranch lsp` and hands it the programs that are open.

const path = require("path");
const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

const LANGUAGES = ["python", "cql", "sawzall", "streamit", "spl", "river"];
let client;

function started() {
  const settings = vscode.workspace.getConfiguration("anabranch");
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
  const [command, ...args] = settings.get("command");
  const server = {
    command: command.startsWith(".") && folder ? path.join(folder, command) : command,
    args,
    options: { cwd: folder },
  };
  return new LanguageClient("anabranch", "Anabranch", server, {
    documentSelector: LANGUAGES.map((language) => ({ scheme: "file", language })),
    initializationOptions: {
      // What is not trusted is not run.
      python: settings.get("python") && vscode.workspace.isTrusted,
      seconds: settings.get("seconds"),
    },
  });
}

async function restart() {
  await client?.stop();
  client = started();
  try {
    await client.start();
  } catch (error) {
    vscode.window.showErrorMessage(
      `Anabranch's language server does not start: ${error.message ?? error}. ` +
      "Install it with pip install 'anabranch[lsp]', and name it in the setting anabranch.command.");
  }
}

async function activate(context) {
  context.subscriptions.push(
    vscode.commands.registerCommand("anabranch.restart", restart),
    vscode.workspace.onDidGrantWorkspaceTrust(restart),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration("anabranch")) restart();
    }));
  await restart();
}

function deactivate() {
  return client?.stop();
}

module.exports = { activate, deactivate };
