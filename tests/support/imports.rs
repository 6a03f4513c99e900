//! Who imports whom: the sources are parsed, and each path in them is followed through modules,
//! `use` trees, globs and re-exports to the file that defines the item.
//!
//! An import counts for the file that defines the item, so a `mod.rs` that only declares and
//! re-exports its children depends on none of them: `pub use` counts where the name is used. Code
//! under `#[cfg(test)]` does not count. Methods are not seen: their receiver's type is not known.

use std::collections::{BTreeMap, BTreeSet};

use syn::buffer::Cursor;
use syn::parse::{Parse, ParseStream};
use syn::visit::{self, Visit};
use syn::{Attribute, ImplItem, Item, UseTree, Visibility};

/// Segments of a path, such as `["super", "stage", "Stage"]`.
type Segments = Vec<String>;

/// The modules of all sources. Module 0 is the library's root.
pub struct House {
    modules: Vec<Module>,
}

#[derive(Default)]
struct Module {
    /// Below `src/`; an inline module has its parent's.
    file: String,
    parent: Option<usize>,
    children: BTreeMap<String, usize>,
    items: BTreeSet<String>,
    uses: Vec<Use>,
    /// Paths in code, in the order of their lines.
    paths: Vec<Segments>,
}

struct Use {
    /// None for a glob.
    name: Option<String>,
    path: Segments,
    /// `pub use`, of any reach.
    again: bool,
}

/// What a path leads to: a module, or an item that this module defines.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    Module(usize),
    Item(usize),
}

/// One file names something of another.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Import {
    pub from: String,
    pub to: String,
    /// The path as it is written.
    pub path: String,
}

/// The module path of a source: `sweep/mod.rs` and `sweep.rs` are both `["sweep"]`.
fn module_path(file: &str) -> Segments {
    let name = file.trim_end_matches(".rs");
    name.split('/').filter(|part| !["mod", "lib"].contains(part)).map(str::to_owned).collect()
}

impl House {
    /// Of (path below `src/`, text) of each source.
    pub fn of(sources: &[(String, String)]) -> Self {
        let root = Module { file: "lib.rs".to_owned(), ..Module::default() };
        let mut house = Self { modules: vec![root] };
        let mut sorted: Vec<_> =
            sources.iter().map(|(file, text)| (module_path(file), file, text)).collect();
        sorted.sort();
        for (path, file, text) in sorted {
            let module = path.iter().fold(0, |parent, name| house.child(parent, name, file));
            house.modules[module].file.clone_from(file);
            let parsed = syn::parse_file(text).unwrap_or_else(|e| panic!("{file}: {e}"));
            Reader { house: &mut house, module }.visit_file(&parsed);
        }
        house
    }

    fn child(&mut self, parent: usize, name: &str, file: &str) -> usize {
        if let Some(child) = self.modules[parent].children.get(name) {
            return *child;
        }
        let child = self.modules.len();
        let parent_of = Some(parent);
        self.modules.push(Module { file: file.to_owned(), parent: parent_of, ..Module::default() });
        self.modules[parent].children.insert(name.to_owned(), child);
        child
    }

    /// What `name` can mean in a module. `under_way` holds the imports that are being followed;
    /// `passed` gathers the modules on the way.
    fn named(
        &self,
        module: usize,
        name: &str,
        under_way: &mut Vec<(usize, usize)>,
        passed: &mut BTreeSet<usize>,
    ) -> Vec<Place> {
        let here = &self.modules[module];
        let mut found: Vec<Place> =
            here.children.get(name).map(|m| Place::Module(*m)).into_iter().collect();
        if here.items.contains(name) {
            found.push(Place::Item(module));
            return found;
        }
        let mut follow = |import: &Use, index: usize, passed: &mut BTreeSet<usize>| {
            if under_way.contains(&(module, index)) {
                return vec![];
            }
            under_way.push((module, index));
            let places = self.follow(module, &import.path, under_way, passed);
            let places = match import.name {
                Some(_) => places,
                None => places
                    .into_iter()
                    .flat_map(|place| match place {
                        Place::Module(m) => self.named(m, name, under_way, passed),
                        Place::Item(_) => vec![],
                    })
                    .collect(),
            };
            under_way.pop();
            places
        };
        let uses = || here.uses.iter().enumerate();
        for (index, import) in uses().filter(|(_, import)| import.name.as_deref() == Some(name)) {
            found.extend(follow(import, index, passed));
        }
        if found.is_empty() {
            for (index, import) in uses().filter(|(_, import)| import.name.is_none()) {
                let mut on_the_way = BTreeSet::new();
                let places = follow(import, index, &mut on_the_way);
                if !places.is_empty() {
                    passed.extend(on_the_way);
                    found.extend(places);
                }
            }
        }
        found
    }

    /// What a path in a module leads to; nothing for a path of another crate or a local name.
    fn follow(
        &self,
        module: usize,
        path: &[String],
        under_way: &mut Vec<(usize, usize)>,
        passed: &mut BTreeSet<usize>,
    ) -> Vec<Place> {
        let (head, rest) = path.split_first().expect("a path has a head");
        let mut places = match head.as_str() {
            "crate" | "gatelens" => vec![Place::Module(0)],
            "self" => vec![Place::Module(module)],
            "super" => self.modules[module].parent.map(Place::Module).into_iter().collect(),
            name => self.named(module, name, under_way, passed),
        };
        for name in rest {
            let mut next = vec![];
            for place in places {
                match place {
                    // A variant, a constant of a type.
                    Place::Item(_) => next.push(place),
                    Place::Module(m) if name == "super" => {
                        next.extend(self.modules[m].parent.map(Place::Module));
                    }
                    Place::Module(m) if name == "self" => next.push(Place::Module(m)),
                    Place::Module(m) => {
                        passed.insert(m);
                        let named = self.named(m, name, under_way, passed);
                        // What a macro of that module makes is not in its text.
                        next.extend(if named.is_empty() { vec![Place::Item(m)] } else { named });
                    }
                }
            }
            places = next;
        }
        places.sort_unstable();
        places.dedup();
        passed.extend(places.iter().map(|place| match place {
            Place::Module(m) | Place::Item(m) => *m,
        }));
        places
    }

    fn imports(&self, of_items: bool) -> Vec<Import> {
        let mut found = BTreeSet::new();
        for (index, module) in self.modules.iter().enumerate() {
            let uses = module.uses.iter().enumerate();
            let uses = uses.filter(|(_, import)| !(of_items && import.again));
            let uses = uses.map(|(place, import)| (Some(place), &import.path));
            for (place, path) in uses.chain(module.paths.iter().map(|path| (None, path))) {
                let mut passed = BTreeSet::new();
                let mut under_way = place.map(|place| (index, place)).into_iter().collect();
                let places = self.follow(index, path, &mut under_way, &mut passed);
                if of_items {
                    passed = places
                        .iter()
                        .filter_map(|place| match place {
                            Place::Item(m) => Some(*m),
                            Place::Module(_) => None,
                        })
                        .collect();
                }
                let others = passed.iter().map(|m| &self.modules[*m].file);
                found.extend(others.filter(|file| **file != module.file).map(|to| Import {
                    from: module.file.clone(),
                    to: to.clone(),
                    path: path.join("::"),
                }));
            }
        }
        found.into_iter().collect()
    }

    /// All files that paths go through or lead to.
    pub fn passed(&self) -> Vec<Import> {
        self.imports(false)
    }

    /// The files that define what is named.
    pub fn named_items(&self) -> Vec<Import> {
        self.imports(true)
    }

    /// One circle for each knot of files that name each other's items, the shortest one; only
    /// among imports that `counts` says.
    pub fn circles(&self, counts: impl Fn(&Import) -> bool) -> Vec<Vec<Import>> {
        let mut ways: BTreeMap<String, BTreeMap<String, Import>> = BTreeMap::new();
        for import in self.named_items().into_iter().filter(counts) {
            let ways = ways.entry(import.from.clone()).or_default();
            ways.entry(import.to.clone()).or_insert(import);
        }
        let mut circles = vec![];
        let mut shortest: Vec<_> = ways.keys().filter_map(|file| way_back(&ways, file)).collect();
        shortest.sort_by_key(Vec::len);
        let mut seen = BTreeSet::new();
        for circle in shortest {
            if circle.iter().all(|import| !seen.contains(&import.from)) {
                seen.extend(circle.iter().map(|import| import.from.clone()));
                circles.push(circle);
            }
        }
        circles
    }
}

/// The shortest way from a file back to itself.
fn way_back(ways: &BTreeMap<String, BTreeMap<String, Import>>, file: &str) -> Option<Vec<Import>> {
    let mut reached = BTreeSet::new();
    let mut ends: Vec<Vec<Import>> = vec![vec![]];
    while !ends.is_empty() {
        let mut next = vec![];
        for way in ends {
            let end = way.last().map_or(file, |import| &import.to);
            for import in ways.get(end).into_iter().flat_map(BTreeMap::values) {
                let longer: Vec<_> = way.iter().chain([import]).cloned().collect();
                if import.to == file {
                    return Some(longer);
                }
                if reached.insert(&import.to) {
                    next.push(longer);
                }
            }
        }
        ends = next;
    }
    None
}

/// Fills the modules of one source.
struct Reader<'h> {
    house: &'h mut House,
    module: usize,
}

impl Reader<'_> {
    fn here(&mut self) -> &mut Module {
        &mut self.house.modules[self.module]
    }

    fn read_use(&mut self, tree: &UseTree, before: &[String], again: bool) {
        let with = |name: &dyn ToString| [before, &[name.to_string()]].concat();
        let import = match tree {
            UseTree::Path(path) => return self.read_use(&path.tree, &with(&path.ident), again),
            UseTree::Group(group) => {
                return group.items.iter().for_each(|tree| self.read_use(tree, before, again));
            }
            UseTree::Glob(_) => Use { name: None, path: before.to_vec(), again },
            UseTree::Name(name) if name.ident == "self" => {
                Use { name: before.last().cloned(), path: before.to_vec(), again }
            }
            UseTree::Name(name) => {
                Use { name: Some(name.ident.to_string()), path: with(&name.ident), again }
            }
            UseTree::Rename(rename) => {
                let path =
                    if rename.ident == "self" { before.to_vec() } else { with(&rename.ident) };
                Use { name: Some(rename.rename.to_string()), path, again }
            }
        };
        self.here().uses.push(import);
    }
}

fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

fn of_tests(attributes: &[Attribute]) -> bool {
    let of_tests = |attribute: &Attribute| match attribute.path().get_ident() {
        Some(name) if name == "cfg" => {
            attribute.parse_args::<syn::Path>().is_ok_and(|path| path.is_ident("test"))
        }
        Some(name) => name == "test",
        None => false,
    };
    attributes.iter().any(of_tests)
}

fn name_of(item: &Item) -> Option<String> {
    let name = match item {
        Item::Const(item) => &item.ident,
        Item::Enum(item) => &item.ident,
        Item::Fn(item) => &item.sig.ident,
        Item::Macro(item) => item.ident.as_ref()?,
        Item::Static(item) => &item.ident,
        Item::Struct(item) => &item.ident,
        Item::Trait(item) => &item.ident,
        Item::Type(item) => &item.ident,
        _ => return None,
    };
    Some(name.to_string())
}

impl<'ast> Visit<'ast> for Reader<'_> {
    fn visit_file(&mut self, file: &'ast syn::File) {
        if !of_tests(&file.attrs) {
            let names = file.items.iter().filter(|item| !of_tests(attributes(item)));
            let names: Vec<String> = names.filter_map(name_of).collect();
            self.here().items.extend(names);
            visit::visit_file(self, file);
        }
    }

    fn visit_item(&mut self, item: &'ast Item) {
        if !of_tests(attributes(item)) {
            visit::visit_item(self, item);
        }
    }

    fn visit_impl_item(&mut self, item: &'ast ImplItem) {
        match item {
            ImplItem::Fn(function) if of_tests(&function.attrs) => (),
            _ => visit::visit_impl_item(self, item),
        }
    }

    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        let Some((_, items)) = &item.content else { return };
        let parent = self.module;
        let file = self.here().file.clone();
        self.module = self.house.child(parent, &item.ident.to_string(), &file);
        self.here().items.extend(items.iter().filter_map(name_of));
        items.iter().for_each(|item| self.visit_item(item));
        self.module = parent;
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        let again = !matches!(item.vis, Visibility::Inherited);
        self.read_use(&item.tree, &[], again);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let segments = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        self.here().paths.push(segments);
        visit::visit_path(self, path);
    }

    // `pub(super)` and `#[derive(…)]` import nothing.
    fn visit_visibility(&mut self, _: &'ast Visibility) {}
    fn visit_attribute(&mut self, _: &'ast Attribute) {}

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        self.visit_path(&call.path);
        let Paths(paths) = call.parse_body().expect("tokens are tokens");
        self.here().paths.extend(paths);
    }
}

/// Everything that looks like a path among a macro's tokens.
struct Paths(Vec<Segments>);

impl Parse for Paths {
    fn parse(input: ParseStream) -> syn::Result<Self> {
        let mut paths = vec![];
        input.step(|cursor| {
            gather(*cursor, &mut paths);
            let mut end = *cursor;
            while let Some((_, next)) = end.token_tree() {
                end = next;
            }
            Ok(((), end))
        })?;
        Ok(Self(paths))
    }
}

fn gather(mut cursor: Cursor, paths: &mut Vec<Segments>) {
    fn colon(cursor: Cursor) -> Option<Cursor> {
        cursor.punct().filter(|(sign, _)| sign.as_char() == ':').map(|(_, next)| next)
    }
    let after_colons = |next| colon(next).and_then(colon).and_then(Cursor::ident);
    let mut of_a_value = false;
    while let Some((_, mut next)) = cursor.token_tree() {
        if let Some((inside, ..)) = cursor.any_group() {
            gather(inside, paths);
        } else if let Some((name, _)) = cursor.ident() {
            let mut path = vec![name.to_string()];
            while let Some((name, after)) = after_colons(next) {
                path.push(name.to_string());
                next = after;
            }
            // After a dot stands a field or a method.
            if !of_a_value {
                paths.push(path);
            }
        }
        of_a_value = cursor.punct().is_some_and(|(sign, _)| sign.as_char() == '.');
        cursor = next;
    }
}
