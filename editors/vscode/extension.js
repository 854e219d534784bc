// Starts `anabranch lsp` and hands it the programs that are open.

const path = require("path");
const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

const OWN = ["cql", "sawzall", "streamit", "spl", "river"];
let client;

// Other programs in Python need no server, nor a message that there is none.
function isOurs(document) {
  return OWN.includes(document.languageId)
    || (document.languageId === "python" && /^\s*(import|from)\b.*\banabranch\b/m.test(document.getText()));
}

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
    documentSelector: ["python", ...OWN].map((language) => ({ scheme: "file", language })),
    initializationOptions: {
      // What is not trusted is not run.
      python: settings.get("python") && vscode.workspace.isTrusted,
      seconds: settings.get("seconds"),
    },
  });
}

async function restart() {
  // One that did not start cannot be stopped, either.
  await client?.stop().catch(() => {});
  client = started();
  try {
    await client.start();
  } catch (error) {
    vscode.window.showErrorMessage(
      `Anabranch's language server does not start: ${error.message ?? error}. ` +
      "Install it with pip install 'anabranch[lsp]', and name it in the setting anabranch.command.");
  }
}

async function startFor(document) {
  if (client === undefined && isOurs(document)) await restart();
}

async function activate(context) {
  context.subscriptions.push(
    vscode.commands.registerCommand("anabranch.restart", restart),
    vscode.workspace.onDidGrantWorkspaceTrust(() => client && restart()),
    vscode.workspace.onDidOpenTextDocument(startFor),
    vscode.workspace.onDidSaveTextDocument(startFor),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (client && change.affectsConfiguration("anabranch")) restart();
    }));
  for (const document of vscode.workspace.textDocuments) await startFor(document);
}

function deactivate() {
  return client?.stop();
}

module.exports = { activate, deactivate };
