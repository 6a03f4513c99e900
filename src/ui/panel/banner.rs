//! What the user must know or decide: messages, faults with their way out, the last visit's run, a
//! link to copy by hand.

use crate::run::live::End;
use crate::ui::kit::format;
use crate::ui::kit::theme::{Palette, strong};
use crate::ui::{Action, Help, Scene, Severity, Unread};
use eframe::egui;
use egui::{
    Button, Color32, Frame, Label, Margin, Popup, PopupCloseBehavior, RichText, Stroke, TextEdit,
    Ui,
};

/// Draws those that there are.
pub fn show(
    ui: &mut Ui,
    link_dismissed: &mut Option<String>,
    scene: &mut Scene<'_>,
    actions: &mut Vec<Action>,
) {
    let palette = Palette::of(ui);
    if let Some(error) = &scene.live.failure {
        banner(
            ui,
            palette.error,
            &sentence(&error.to_string()),
            &[("Retry", Action::Retry), ("On the CPU", Action::OnCpu)],
            actions,
        );
    } else if let Some(End::Diverged(step)) = scene.live.end {
        diverged(ui, scene, step, actions);
    }
    if let Some(offer) = scene.resume {
        let mut text = format!(
            "Your last visit left “{}” at step {}.",
            offer.title,
            format::thousands(offer.step)
        );
        let first = match &offer.file {
            Some(file) => {
                text += &format!(" It was trained on {file}: drop that file here, or open it.");
                ("Open the file", Action::Open)
            }
            None => ("Go on from there", Action::Resume(true)),
        };
        let buttons = [first, ("Forget it", Action::Resume(false))];
        banner(ui, palette.accent, &text, &buttons, actions);
    }
    for Unread { key, name, problem, text } in scene.unread {
        let file = Action::Export(format!("gatelens-{key}.txt"), text.clone().into_bytes());
        let text = format!(
            "The {name} of your last visit does not read: {}. It stays kept as it is, and that of this visit is not kept, until you forget it.",
            problem.trim_end_matches('.')
        );
        let buttons = [("Save it as a file", file), ("Forget it", Action::Forget(key))];
        banner(ui, palette.warning, &text, &buttons, actions);
    }
    if let Some(link) = scene.link.filter(|link| link_dismissed.as_deref() != Some(link))
        && link_banner(ui, palette.accent, link)
    {
        *link_dismissed = Some(link.to_owned());
    }
    messages(ui, scene);
}

/// The newest few messages; older ones only by their number.
pub fn messages(ui: &mut Ui, scene: &mut Scene<'_>) {
    const SHOWN: usize = 3;
    let palette = Palette::of(ui);
    scene.messages.dedup();
    let older = scene.messages.len().saturating_sub(SHOWN);
    let mut dismissed = None;
    for (i, message) in scene.messages.iter().enumerate().skip(older) {
        let color = match message.severity {
            Severity::Info => palette.accent,
            Severity::Warning => palette.warning,
            Severity::Error => palette.error,
        };
        let gpu = scene.web && message.help == Some(Help::Gpu);
        if message_banner(ui, color, &message.text, gpu) {
            dismissed = Some(i);
        }
    }
    if let Some(i) = dismissed {
        scene.messages.remove(i);
    }
    if older > 0 {
        strip(ui, palette.mute, |ui| {
            ui.label(format!("{older} earlier"));
            if ui.button("Dismiss all").clicked() {
                scene.messages.clear();
            }
        });
    }
}

fn diverged(ui: &mut Ui, scene: &Scene<'_>, step: u64, actions: &mut Vec<Action>) {
    let back = scene.live.good.as_ref().map_or(0, |snapshot| snapshot.step);
    let rate = scene.live.recipe.learning_rate;
    let text = format!(
        "The loss stopped being a number at step {}: a learning rate of {rate} was too high. Training is paused.",
        format::thousands(step),
    );
    let button =
        format!("Go back to step {} with a tenth of the learning rate", format::thousands(back));
    banner(ui, Palette::of(ui).error, &text, &[(&button, Action::Rescue)], actions);
}

/// A coloured strip; `content` is laid out in rows that wrap.
fn strip(ui: &mut Ui, color: Color32, content: impl FnOnce(&mut Ui)) {
    let palette = Palette::of(ui);
    let frame = Frame::new()
        .fill(palette.panel.lerp_to_gamma(color, 0.10))
        .stroke(Stroke::NONE)
        .inner_margin(Margin::symmetric(12, 7));
    let response = frame.show(ui, |ui| {
        ui.set_width(ui.available_width());
        // The sentence first, what can be done below it or beside it.
        if ui.available_width() < 560.0 {
            ui.vertical(|ui| content(ui));
        } else {
            ui.horizontal_wrapped(content);
        }
    });
    let rect = response.response.rect;
    ui.painter().rect_filled(
        egui::Rect::from_min_size(rect.min, egui::vec2(3.0, rect.height())),
        0.0,
        color,
    );
}

fn banner(
    ui: &mut Ui,
    color: Color32,
    text: &str,
    buttons: &[(&str, Action)],
    actions: &mut Vec<Action>,
) {
    strip(ui, color, |ui| {
        ui.add(Label::new(text).wrap());
        ui.horizontal_wrapped(|ui| {
            for (name, action) in buttons {
                if ui.add(Button::new(RichText::new(*name).font(strong(12.5))).wrap()).clicked() {
                    actions.push(action.clone());
                }
            }
        });
    });
}

/// Returns whether it was dismissed.
fn message_banner(ui: &mut Ui, color: Color32, text: &str, gpu: bool) -> bool {
    let mut dismissed = false;
    strip(ui, color, |ui| {
        ui.add(Label::new(text).wrap().selectable(true));
        ui.horizontal(|ui| {
            if gpu {
                gpu_help(ui);
            }
            dismissed = ui.button("Dismiss").clicked();
        });
    });
    dismissed
}

fn link_banner(ui: &mut Ui, color: Color32, link: &str) -> bool {
    let mut dismissed = false;
    strip(ui, color, |ui| {
        ui.label("The clipboard is closed to this page. Select the link and copy it:");
        let mut text = link; // a field that can be selected and not changed
        ui.add(
            TextEdit::singleline(&mut text)
                .desired_width((ui.available_width() - 90.0).clamp(120.0, 560.0)),
        );
        dismissed = ui.button("Dismiss").clicked();
    });
    dismissed
}

/// A button that says how each browser comes to WebGPU.
pub fn gpu_help(ui: &mut Ui) {
    let palette = Palette::of(ui);
    let button = ui.add(Button::new(RichText::new("How to get the GPU").color(palette.accent)));
    Popup::menu(&button).close_behavior(PopupCloseBehavior::CloseOnClickOutside).show(|ui| {
        ui.set_max_width(380.0);
        ui.label(RichText::new("WebGPU, browser by browser").font(strong(12.5)));
        for (browser, how) in [
            (
                "Chrome, Edge",
                "113 or newer on Windows, macOS and ChromeOS, 121 on Android: nothing to do. If it is missing, turn on \
                 hardware acceleration in the settings.",
            ),
            ("Chrome on Linux", "open chrome://flags, enable “Unsafe WebGPU Support” and “Vulkan”, and restart it."),
            ("Safari", "26 or newer, on macOS and iOS."),
            ("Firefox", "141 or newer on Windows, 145 or newer on macOS with Apple silicon; elsewhere use Nightly."),
        ] {
            ui.add_space(2.0);
            ui.label(RichText::new(browser).font(strong(12.5)));
            ui.add(Label::new(RichText::new(how).color(palette.mute)).wrap());
        }
        ui.add_space(4.0);
        ui.add(
            Label::new(RichText::new("The page must come over https or from localhost.").color(palette.mute)).wrap(),
        );
    });
}

fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}.", letters.as_str().trim_end_matches('.'))
}
