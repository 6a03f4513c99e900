//! The look: colours that mean the same in every panel, fonts, spacing.

use crate::analysis::importance::Role;
use eframe::egui;
use egui::{
    Color32, Context, CornerRadius, FontData, FontDefinitions, FontFamily, FontId, Stroke, Style,
    TextStyle, Theme, Ui, Visuals, vec2,
};
use std::sync::Arc;

/// The colours of one theme. Neurons keep theirs in every panel; blue and orange are told apart by
/// all eyes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Palette {
    /// Behind pictures; also what a weight of zero looks like.
    pub background: Color32,
    /// Behind controls and text.
    pub panel: Color32,
    /// Text.
    pub ink: Color32,
    /// Text that explains.
    pub mute: Color32,
    /// Rules and grids.
    pub line: Color32,
    /// What can be done, and the student's curves.
    pub accent: Color32,
    /// Text on the accent.
    pub on_accent: Color32,
    /// Neurons that remember.
    pub key_value: Color32,
    /// Neurons that pass the current token on.
    pub query: Color32,
    /// Neurons in between.
    pub between: Color32,
    /// Neurons without weight.
    pub unused: Color32,
    /// The teacher.
    pub teacher: Color32,
    /// The most negative weight.
    pub negative: Color32,
    /// The most positive weight.
    pub positive: Color32,
    /// Take care.
    pub warning: Color32,
    /// It went wrong.
    pub error: Color32,
    /// Lines that are told apart by colour and by the shape of their marks; [`Palette::series`]
    /// repeats them.
    series: [Color32; 6],
}

const fn rgb(hex: u32) -> Color32 {
    Color32::from_rgb((hex >> 16) as u8, (hex >> 8) as u8, hex as u8)
}

const LIGHT: Palette = Palette {
    background: rgb(0xf7_f7_f5),
    panel: rgb(0xff_ff_ff),
    ink: rgb(0x22_25_2a),
    mute: rgb(0x66_6c_76),
    line: rgb(0xe1_e1_dd),
    accent: rgb(0x3b_5b_db),
    on_accent: rgb(0xff_ff_ff),
    key_value: rgb(0x00_72_b2),
    query: rgb(0xe6_9f_00),
    between: rgb(0x7a_80_89),
    unused: rgb(0xb4_b8_bd),
    teacher: rgb(0x00_9e_73),
    negative: rgb(0x76_2a_83),
    positive: rgb(0x1b_78_37),
    warning: rgb(0x9a_67_00),
    error: rgb(0xb4_23_18),
    series: [
        rgb(0x3b_5b_db),
        rgb(0xd4_55_0a),
        rgb(0x1b_8a_6b),
        rgb(0x7a_1f_5c),
        rgb(0x3f_95_cc),
        rgb(0x2b_2e_34),
    ],
};

const DARK: Palette = Palette {
    background: rgb(0x15_17_1a),
    panel: rgb(0x1c_1f_23),
    ink: rgb(0xe6_e7_e9),
    mute: rgb(0x98_9f_a9),
    line: rgb(0x2e_33_39),
    accent: rgb(0x8d_a2_fb),
    on_accent: rgb(0x10_13_1a),
    key_value: rgb(0x56_b4_e9),
    query: rgb(0xe6_9f_00),
    between: rgb(0x8f_96_a0),
    unused: rgb(0x55_5b_63),
    teacher: rgb(0x2f_bf_93),
    negative: rgb(0xc3_8c_e0),
    positive: rgb(0x5a_c8_82),
    warning: rgb(0xe3_b3_41),
    error: rgb(0xff_7b_72),
    series: [
        rgb(0x8d_a2_fb),
        rgb(0xff_7a_4d),
        rgb(0x24_a3_7c),
        rgb(0xf3_b8_df),
        rgb(0xf2_e6_94),
        rgb(0xff_ff_ff),
    ],
};

impl Palette {
    /// The colours of the theme that `ui` has.
    pub fn of(ui: &Ui) -> &'static Self {
        if ui.visuals().dark_mode { &DARK } else { &LIGHT }
    }

    /// A neuron's colour.
    pub fn role(&self, role: Role) -> Color32 {
        match role {
            Role::KeyValue => self.key_value,
            Role::Query => self.query,
            Role::Between => self.between,
            Role::Unused => self.unused,
        }
    }

    /// The colour of the `i`-th of several lines.
    pub fn series(&self, i: usize) -> Color32 {
        self.series[i % self.series.len()]
    }

    /// Whether the `i`-th line has the colour of an earlier one: it is dashed.
    pub fn is_again(&self, i: usize) -> bool {
        i >= self.series.len()
    }

    /// A signed weight's colour, zero in the middle; `value` in −1..=1. What is not a number looks
    /// like an error.
    pub fn signed(&self, value: f32) -> Color32 {
        if value.is_nan() {
            return self.error;
        }
        let end = if value < 0.0 { self.negative } else { self.positive };
        // The power lifts small weights above the background.
        self.background.lerp_to_gamma(end, value.abs().min(1.0).powf(0.8))
    }
}

/// A neuron's kind, in a word.
pub fn role_name(role: Role) -> &'static str {
    match role {
        Role::KeyValue => "key–value",
        Role::Query => "query",
        Role::Between => "between",
        Role::Unused => "unused",
    }
}

/// Semibold text of `size`.
pub fn strong(size: f32) -> FontId {
    FontId::new(size, FontFamily::Name("strong".into()))
}

/// Regular text of `size`.
pub fn plain(size: f32) -> FontId {
    FontId::new(size, FontFamily::Proportional)
}

/// Whether [`install`] has taken effect.
pub fn is_installed(ctx: &Context) -> bool {
    ctx.fonts(|fonts| fonts.families().contains(&FontFamily::Name("strong".into())))
}

/// Puts fonts and both themes in place; once, before the first frame.
pub fn install(ctx: &Context) {
    ctx.set_fonts(fonts());
    ctx.set_style_of(Theme::Light, style(&LIGHT, Visuals::light()));
    ctx.set_style_of(Theme::Dark, style(&DARK, Visuals::dark()));
}

fn fonts() -> FontDefinitions {
    let mut fonts = FontDefinitions::empty();
    let files: [(&str, &[u8]); 3] = [
        ("regular", include_bytes!("../../../assets/fonts/Inter-Regular.ttf")),
        ("semibold", include_bytes!("../../../assets/fonts/Inter-SemiBold.ttf")),
        ("symbols", include_bytes!("../../../assets/fonts/Symbols.ttf")),
    ];
    for (name, bytes) in files {
        fonts.font_data.insert(name.into(), Arc::new(FontData::from_static(bytes)));
    }
    let family = |first: &str| vec![first.to_owned(), "symbols".to_owned()];
    fonts.families.insert(FontFamily::Proportional, family("regular"));
    fonts.families.insert(FontFamily::Monospace, family("regular")); // its digits are tabular
    fonts.families.insert(FontFamily::Name("strong".into()), family("semibold"));
    fonts
}

fn style(palette: &Palette, visuals: Visuals) -> Style {
    let mut style = Style { visuals: self::visuals(palette, visuals), ..Style::default() };
    style.text_styles = [
        (TextStyle::Small, plain(11.0)),
        (TextStyle::Body, plain(12.5)),
        (TextStyle::Button, plain(12.5)),
        (TextStyle::Monospace, plain(12.5)),
        (TextStyle::Heading, strong(15.0)),
    ]
    .into();
    let spacing = &mut style.spacing;
    spacing.item_spacing = vec2(6.0, 4.0);
    spacing.button_padding = vec2(8.0, 2.0);
    spacing.interact_size = vec2(32.0, 22.0);
    spacing.tooltip_width = 320.0;
    spacing.scroll.bar_width = 8.0;
    style.interaction.tooltip_delay = 0.25;
    style.interaction.selectable_labels = false;
    style
}

fn visuals(palette: &Palette, mut visuals: Visuals) -> Visuals {
    let Palette { background, panel, ink, mute, line, accent, .. } = *palette;
    let widgets = &mut visuals.widgets;
    for (widget, fill, stroke) in [
        (&mut widgets.noninteractive, panel, line),
        (&mut widgets.inactive, background, line),
        (&mut widgets.hovered, background.lerp_to_gamma(accent, 0.08), accent.gamma_multiply(0.6)),
        (&mut widgets.active, background.lerp_to_gamma(accent, 0.2), accent),
        (&mut widgets.open, background.lerp_to_gamma(accent, 0.08), accent.gamma_multiply(0.6)),
    ] {
        (widget.bg_fill, widget.weak_bg_fill, widget.bg_stroke) =
            (fill, fill, Stroke::new(1.0, stroke));
        (widget.fg_stroke, widget.corner_radius, widget.expansion) =
            (Stroke::new(1.0, ink), CornerRadius::same(5), 0.0);
    }
    // A slider's rail and a checkbox's box.
    widgets.inactive.bg_fill = line;
    visuals.override_text_color = Some(ink);
    visuals.weak_text_color = Some(mute);
    visuals.hyperlink_color = accent;
    (visuals.warn_fg_color, visuals.error_fg_color) = (palette.warning, palette.error);
    visuals.selection.bg_fill = accent.gamma_multiply(0.25);
    visuals.selection.stroke = Stroke::new(1.0, accent);
    (visuals.panel_fill, visuals.window_fill, visuals.extreme_bg_color) =
        (panel, panel, background);
    (visuals.faint_bg_color, visuals.code_bg_color) = (background, background);
    visuals.window_stroke = Stroke::new(1.0, line);
    visuals.slider_trailing_fill = true;
    visuals.striped = false;
    visuals
}
