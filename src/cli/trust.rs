//! Whether a project's configuration may run programs and send things: asked once for exactly what it says.

use super::args::{Place, Trust};
use super::context::Context;
use super::error::{CliError, Kind};
use crate::config::trust::{Asked, Verdict};
use crate::domain::lang::Lang;
use crate::engine::trust;
use crate::ui::text::one_line;
use std::io::{BufRead, IsTerminal};

/// A value that is longer is cut, and says so.
const WIDTH: usize = 400;

/// True when the answer changed what may be used, so that the configuration has to be read again. Without a person at a
/// terminal an open question is an error: guessing either way would be wrong.
pub fn settle(context: &Context, is_here: bool) -> Result<bool, CliError> {
    let Some((asked, Verdict::Open)) = &context.effective.untrusted else { return Ok(false) };
    let lang = context.lang();
    if !is_here || !std::io::stdin().is_terminal() || !std::io::stderr().is_terminal() {
        return Err(CliError::new(
            Kind::Waiting,
            format!("{}\n{}", question(lang), listed(asked)),
            lang.pick(
                "read the file, then `flightdeck config trust` to use these, or `flightdeck config trust --refuse` to go on without them",
                "прочитай файл, затем `flightdeck config trust`, чтобы применять это, или `flightdeck config trust --refuse`, чтобы работать без этого",
            ),
        ));
    }
    eprintln!("{}\n{}", question(lang), listed(asked));
    loop {
        eprint!(
            "{}",
            lang.pick(
                "Do you trust exactly this? yes, no (go on without it this time), never: ",
                "Доверяешь ровно этому? да, нет (в этот раз без этого), никогда: ",
            )
        );
        let mut line = String::new();
        let read = std::io::stdin().lock().read_line(&mut line).map_err(CliError::failed)?;
        let said = match line.trim().to_lowercase().as_str() {
            "yes" | "y" | "да" | "д" => Some(true),
            "never" | "никогда" => Some(false),
            "no" | "n" | "нет" | "н" => None,
            _ if read == 0 => None,
            _ => continue,
        };
        if let Some(said) = said {
            say(context, asked, said)?;
        }
        return Ok(said == Some(true));
    }
}

/// `config trust`: the command itself is the yes.
pub fn run(place: &Place, args: &Trust) -> Result<u8, CliError> {
    let context = Context::plain(place)?;
    let (lang, state) = (context.lang(), &context.places.state_dir);
    if args.list {
        for said in trust::list(state) {
            let word = if said.trusted {
                lang.pick("trusted", "доверено")
            } else {
                lang.pick("refused", "отвергнуто")
            };
            println!("{word:<10} {}", one_line(&said.file.to_string_lossy(), WIDTH));
        }
        return Ok(0);
    }
    if args.revoke {
        let file = args.file.as_ref().map_or_else(|| project(&context), |file| context.cwd.join(file));
        let known = trust::forget(state, &file).map_err(CliError::failed)?;
        let shown = one_line(&file.to_string_lossy(), WIDTH);
        let what = if known {
            lang.pick("forgotten", "забыто")
        } else {
            lang.pick("nothing was said about it", "о нём ничего не сказано")
        };
        println!("{shown}: {what}");
        return Ok(u8::from(!known));
    }
    let Some((asked, _)) = &context.effective.untrusted else {
        println!(
            "{}: {}",
            one_line(&project(&context).to_string_lossy(), WIDTH),
            lang.pick("nothing in it waits for your word", "ничто в нём не ждёт твоего слова")
        );
        return Ok(0);
    };
    println!("{}", listed(asked));
    say(&context, asked, !args.refuse)?;
    println!(
        "{}",
        match args.refuse {
            true => lang.pick(
                "Not used, and not asked about again while it says this.",
                "Не применяется; вопроса не будет, пока текст тот же."
            ),
            false => lang.pick(
                "Trusted while it says exactly this. The programs it names are not watched for changes.",
                "Доверено, пока текст ровно такой. За изменением названных программ никто не следит.",
            ),
        }
    );
    Ok(0)
}

fn say(context: &Context, asked: &Asked, trusted: bool) -> Result<(), CliError> {
    trust::say(&context.places.state_dir, asked, trusted).map_err(|e| {
        CliError::new(
            Kind::Failed,
            format!("the answer cannot be kept: {e}"),
            "make the state folder writable",
        )
    })
}

fn project(context: &Context) -> std::path::PathBuf {
    crate::config::places::project_file(&context.cwd)
}

fn question(lang: Lang) -> &'static str {
    lang.pick(
        "The configuration of this project wants to run programs or to decide for you:",
        "Конфигурация этого проекта хочет запускать программы или решать за тебя:",
    )
}

fn listed(asked: &Asked) -> String {
    let mut lines = vec![format!("  {}", one_line(&asked.file.to_string_lossy(), WIDTH))];
    for wish in &asked.wishes {
        // The end of a value must not hide behind its length.
        let cut = wish.value.chars().count().saturating_sub(WIDTH);
        let more = if cut > 0 { format!(" (+{cut})") } else { String::new() };
        lines.push(format!("    {}: {}{more}", one_line(&wish.key, 80), one_line(&wish.value, WIDTH)));
    }
    lines.join("\n")
}
