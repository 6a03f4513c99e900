//! What views and panels remember between frames.

use std::any::{Any, TypeId};
use std::collections::HashMap;

/// One value of each type: a view keeps its own state here, and nobody lists them all.
#[derive(Default)]
pub struct Memory(HashMap<TypeId, Box<dyn Any>>);

impl Memory {
    /// The value of that type; its default the first time.
    pub fn of<T: Default + 'static>(&mut self) -> &mut T {
        let value = self.0.entry(TypeId::of::<T>()).or_insert_with(|| Box::<T>::default());
        value.downcast_mut().expect("a value lies under its own type")
    }

    /// The value of that type, if there is one yet.
    pub fn get<T: 'static>(&self) -> Option<&T> {
        self.0.get(&TypeId::of::<T>())?.downcast_ref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_type_has_its_own_value() {
        let mut memory = Memory::default();
        assert_eq!(memory.get::<u32>(), None);
        *memory.of::<u32>() += 3;
        memory.of::<String>().push('x');
        assert_eq!((*memory.of::<u32>(), memory.of::<String>().as_str()), (3, "x"));
        assert_eq!((memory.get::<u32>(), memory.get::<i8>()), (Some(&3), None));
    }
}
