//! The command line: arguments and environment → one function for each command.

mod audit;
mod backup;
mod check;
mod copy;
mod environment;
mod export;
mod files;
mod greeting;
mod import;
mod init;
mod keys;
mod manual;
mod new_file;
mod openapi;
mod port;
mod progress;
mod restore;
mod serve;
mod signals;
mod store;
mod table;
mod terminal;
mod threads;
mod tips;
mod tls;
mod verify;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{Args, CommandFactory, Parser, Subcommand};

use crate::config::{Config, ConfigError, Given, Overrides};
use crate::store::OpenError;

/// Failed while running: port in use, store locked or unreachable.
const FAILED: u8 = 1;
/// Wrong usage or configuration, also one that the stored data contradicts.
const WRONG: u8 = 2;

const EXAMPLES: &str = "\
Examples:
  carnet                             the built-in address book on http://127.0.0.1:8080
  carnet init                        write its configuration to carnet.toml, to make it your own
  carnet check                       what the configuration means, what a start would change
  carnet --listen 127.0.0.1:0        serve on a free port; the first line says which
  carnet keys create reader          make an access key and print it, once
  carnet keys create till --scope users:read --expires 90d
                                     one that may only read users, for 90 days
  carnet copy --from sqlite:carnet.db --to postgres://carnet@db/carnet
                                     move to PostgreSQL, or back
  carnet export users --to users.csv one collection as CSV, while the server runs
  carnet backup backups/ --keep 14   a backup while the server runs, and the 13 before it
  carnet import people.csv --into users --dry-run
                                     what a file would become, and all that is wrong with it
  carnet import people.csv --into users --server http://127.0.0.1:8080
                                     send it to a running server
  carnet openapi > openapi.json      the OpenAPI document of this configuration
  source <(carnet completions bash)  complete commands and options in this shell

Environment: CARNET_CONFIG, CARNET_DATABASE, CARNET_LISTEN, CARNET_BASE_URL, CARNET_LOG; CARNET_KEY for --server.
A flag beats the environment, the environment beats the file, the file beats the default.

Exit status: 0 well; 1 failed while running; 2 wrong usage or configuration.";

/// Keeps records in named collections and serves them as JSON over HTTP.
#[derive(Debug, Parser)]
#[command(name = "carnet", version, after_help = EXAMPLES, propagate_version = true)]
struct Arguments {
    #[command(flatten)]
    common: Common,
    #[command(flatten)]
    serve: ServeOptions,
    #[command(subcommand)]
    command: Option<Command>,
}

/// Options of every command.
#[derive(Debug, Args)]
struct Common {
    #[arg(long, value_name = "FILE", global = true)]
    #[arg(help = "The configuration file [env: CARNET_CONFIG] [default: ./carnet.toml where there is one]")]
    config: Option<PathBuf>,
    #[arg(long, value_name = "URL", global = true)]
    #[arg(
        help = "Where the data is, as sqlite:PATH or postgres://USER@HOST/NAME [env: CARNET_DATABASE] [default: sqlite:carnet.db]"
    )]
    database: Option<String>,
}

/// Options of serving.
#[derive(Debug, Default, Args)]
struct ServeOptions {
    #[arg(long, value_name = "ADDR:PORT")]
    #[arg(help = "Where to listen [env: CARNET_LISTEN] [default: 127.0.0.1:8080]")]
    listen: Option<String>,
    #[arg(long, value_name = "URL")]
    #[arg(help = "How URLs in answers begin [env: CARNET_BASE_URL] [default: as the request's own]")]
    base_url: Option<String>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Serve the collections over HTTP; the same as no command at all
    Serve(ServeOptions),
    /// Write the built-in configuration, commented, to start from
    Init {
        #[arg(
            help = "Where to write it, never over an existing file [default: as --config, else carnet.toml]"
        )]
        file: Option<PathBuf>,
    },
    /// Say what the configuration means and what a start would change; change nothing
    Check,
    /// Make, list, rotate and revoke access keys, also beside a running server
    #[command(subcommand)]
    Keys(keys::Command),
    /// Print what was done with access keys and tables, by whom and when
    Audit(audit::Options),
    /// Copy all collections, ids and access keys from one store into another that is empty
    Copy(copy::Options),
    /// Export records of a collection to a file, also beside a running server
    Export(export::Options),
    /// Make a backup of one moment in one file, also beside a running server
    Backup(backup::Options),
    /// Say whether everything in the store, or in a backup, is whole
    Verify(verify::Options),
    /// Put a backup in the place of the store, while no server has it
    Restore(restore::Options),
    /// Take the entries of a file into a collection, as long as nothing is wrong with any of them
    Import(import::Arguments),
    /// Print the OpenAPI document of the configuration
    Openapi,
    /// Print completions for a shell
    Completions { shell: clap_complete::Shell },
    /// Print the manual page, or write the pages of all commands into a folder
    Man { folder: Option<PathBuf> },
}

/// Runs the command that was asked for; the exit status says how it went.
pub fn run() -> ExitCode {
    let arguments = Arguments::try_parse()
        .unwrap_or_else(|error| tips::with_tip(error, &environment::arguments()).exit());
    match dispatch(arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            terminal::complain(&error);
            ExitCode::from(exit_status(&error))
        }
    }
}

fn dispatch(arguments: Arguments) -> anyhow::Result<()> {
    let Arguments { common, serve, command } = arguments;
    let serves = matches!(command, None | Some(Command::Serve(_)));
    if !serves && (serve.listen.is_some() || serve.base_url.is_some()) {
        refuse("--listen and --base-url are options of `serve` only");
    }
    if matches!(command, Some(Command::Init { .. })) && common.database.is_some() {
        refuse("--database says nothing to `init`; write it into the file, as `database` under [server]");
    }
    let config = || load(&common, ServeOptions::default());
    match command {
        None => serve::run(load(&common, serve)?),
        Some(Command::Serve(later)) => {
            let listen = later.listen.or(serve.listen);
            let base_url = later.base_url.or(serve.base_url);
            serve::run(load(&common, ServeOptions { listen, base_url })?)
        }
        Some(Command::Init { file }) => {
            let variable = environment::read("CARNET_CONFIG").map(PathBuf::from);
            init::run(init::Target { argument: file, flag: common.config, variable })
        }
        Some(Command::Check) => block_on(check::run(&config()?)),
        Some(Command::Keys(command)) => block_on(keys::run(&config()?, command)),
        Some(Command::Audit(options)) => block_on(audit::run(&config()?, &options)),
        Some(Command::Copy(options)) => copy::run(config()?, &options),
        Some(Command::Export(options)) => export::run(&config()?, &options),
        Some(Command::Backup(options)) => backup::run(&config()?, &options),
        Some(Command::Verify(options)) => verify::run(&config()?, &options),
        Some(Command::Restore(options)) => restore::run(&config()?, &options),
        Some(Command::Import(arguments)) => import::run(config, &arguments),
        Some(Command::Openapi) => openapi::run(&config()?),
        Some(Command::Completions { shell }) => manual::completions(shell, Arguments::command()),
        Some(Command::Man { folder }) => manual::pages(folder.as_deref(), Arguments::command()),
    }
}

/// Runs a command that may wait for a database. It is over before a second thread would help.
fn block_on(command: impl Future<Output = anyhow::Result<()>>) -> anyhow::Result<()> {
    tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(command)
}

/// Refuses arguments that do not go together.
fn refuse(words: &str) -> ! {
    Arguments::command().error(ErrorKind::ArgumentConflict, words).exit()
}

/// The configuration, with what flags and the environment say laid over it.
fn load(common: &Common, serve: ServeOptions) -> Result<Config, ConfigError> {
    let given = |flag: Option<String>, flag_name: &'static str, variable: &'static str| match flag {
        Some(text) => Some(Given { text, source: flag_name }),
        None => environment::read(variable).map(|text| Given { text, source: variable }),
    };
    let overrides = Overrides {
        database: given(common.database.clone(), "--database", "CARNET_DATABASE"),
        listen: given(serve.listen, "--listen", "CARNET_LISTEN"),
        base_url: given(serve.base_url, "--base-url", "CARNET_BASE_URL"),
        log: given(None, "", "CARNET_LOG"),
        surroundings: environment::surroundings(),
    };
    let file = common.config.clone().or_else(|| environment::read("CARNET_CONFIG").map(PathBuf::from));
    Config::load(file.as_deref(), &overrides)
}

/// An argument that the table of arguments could not refuse by itself.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct WrongUsage(String);

fn exit_status(error: &anyhow::Error) -> u8 {
    let contradicts = matches!(error.downcast_ref(), Some(OpenError::Contradiction(_)));
    let is_wrong = error.is::<ConfigError>()
        || error.is::<import::FaultyFile>()
        || error.is::<WrongUsage>()
        || error.is::<tls::TlsError>();
    if contradicts || is_wrong { WRONG } else { FAILED }
}
