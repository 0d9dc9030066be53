//! Derive macros of lockstep-ecs: `Component`, `Resource`, `Event`, `Relation`, `Bundle`, `Plain`, `SystemSet`.
//!
//! Invariant: the generated code holds no `unsafe`, so it can be used in crates that forbid it.
#![forbid(unsafe_code)]

use proc_macro::TokenStream;
use proc_macro2::TokenStream as Tokens;
use quote::{format_ident, quote};
use syn::{Data, DeriveInput, Fields, LitStr, Path, parse_macro_input};

/// What the attribute of a derive said.
#[derive(Default)]
struct Options {
    plain: bool,
    sparse: bool,
    transient: bool,
    exclusive: bool,
    cascade: bool,
    name: Option<LitStr>,
    on_add: Option<Path>,
    on_remove: Option<Path>,
    on_change: Option<Path>,
}

fn options(input: &DeriveInput, attribute: &str) -> syn::Result<Options> {
    let mut options = Options::default();
    for attr in input.attrs.iter().filter(|a| a.path().is_ident(attribute)) {
        attr.parse_nested_meta(|meta| {
            let word = meta.path.get_ident().map(ToString::to_string).unwrap_or_default();
            match word.as_str() {
                "plain" => options.plain = true,
                "transient" => options.transient = true,
                "exclusive" => options.exclusive = true,
                "cascade" => options.cascade = true,
                "name" => options.name = Some(meta.value()?.parse()?),
                "on_add" => options.on_add = Some(meta.value()?.parse()?),
                "on_remove" => options.on_remove = Some(meta.value()?.parse()?),
                "on_change" => options.on_change = Some(meta.value()?.parse()?),
                "storage" => {
                    let value: LitStr = meta.value()?.parse()?;
                    match value.value().as_str() {
                        "table" => options.sparse = false,
                        "sparse" => options.sparse = true,
                        _ => {
                            return Err(syn::Error::new_spanned(
                                value,
                                "storage is \"table\" or \"sparse\"",
                            ));
                        }
                    }
                }
                _ => return Err(meta.error("unknown option")),
            }
            Ok(())
        })?;
    }
    Ok(options)
}

/// Whether a field's type mentions `Entity`, so that a visitor has to look into it.
fn mentions_entity(ty: &syn::Type) -> bool {
    fn walk(tokens: Tokens) -> bool {
        tokens.into_iter().any(|t| match t {
            proc_macro2::TokenTree::Ident(i) => i == "Entity",
            proc_macro2::TokenTree::Group(g) => walk(g.stream()),
            _ => false,
        })
    }
    walk(quote!(#ty))
}

/// The body that visits the entities in fields, by what their types say.
fn visitor_body(input: &DeriveInput) -> Tokens {
    let Data::Struct(data) = &input.data else { return quote!() };
    let visits =
        data.fields.iter().enumerate().filter(|(_, f)| mentions_entity(&f.ty)).map(|(i, f)| {
            let member = member(i, f);
            quote!(::lockstep_ecs::MapEntities::map_entities(&mut self.#member, visit);)
        });
    quote!(#(#visits)*)
}

fn member(index: usize, field: &syn::Field) -> syn::Member {
    match &field.ident {
        Some(ident) => syn::Member::Named(ident.clone()),
        None => syn::Member::Unnamed(index.into()),
    }
}

/// The items shared by components, resources, events and relations.
fn value_items(input: &DeriveInput, options: &Options) -> Tokens {
    let ident = &input.ident;
    let generic = !input.generics.params.is_empty();
    let name = match &options.name {
        Some(name) => quote!(#name),
        None => quote!(::core::concat!(::core::module_path!(), "::", ::core::stringify!(#ident))),
    };
    let name_fn = if generic && options.name.is_none() {
        quote!(
            fn type_name() -> &'static str {
                ::core::any::type_name::<Self>()
            }
        )
    } else {
        quote!(fn type_name() -> &'static str { #name })
    };
    let (codec, visit_call, has) = if options.plain {
        (
            quote!(::core::option::Option::Some(::lockstep_ecs::__private::codec_of::<Self>())),
            quote!(<Self as ::lockstep_ecs::Plain>::visit_entities(self, visit)),
            quote!(<Self as ::lockstep_ecs::Plain>::HAS_ENTITIES),
        )
    } else {
        let body = visitor_body(input);
        let any = !body.is_empty();
        (
            quote!((&::lockstep_ecs::__private::Probe::<Self>::new()).codec()),
            quote! {
                if !(&::lockstep_ecs::__private::Probe::<Self>::new()).visit(self, visit) { #body }
            },
            quote!((#any || (&::lockstep_ecs::__private::Probe::<Self>::new()).has_entities())),
        )
    };
    quote! {
        #name_fn
        fn describe() -> ::lockstep_ecs::ValueInfo {
            #[allow(unused_imports, reason = "one of the two is used, by what the type implements")]
            use ::lockstep_ecs::__private::{ViaCodec as _, ViaNoCodec as _, ViaClone as _, ViaNoClone as _, ViaDebug as _, ViaNoDebug as _};
            ::lockstep_ecs::__private::describe::<Self>(
                <Self as ::lockstep_ecs::Value>::type_name(),
                #codec,
                (&::lockstep_ecs::__private::Probe::<Self>::new()).cloner(),
                (&::lockstep_ecs::__private::Probe::<Self>::new()).debugger(),
                #has,
            )
        }
        fn visit_entities(&mut self, visit: &mut dyn ::core::ops::FnMut(&mut ::lockstep_ecs::Entity)) {
            #[allow(unused_imports, reason = "one of the two is used, by what the type implements")]
            use ::lockstep_ecs::__private::{ViaCodec as _, ViaNoCodec as _};
            #visit_call
        }
    }
}

fn value_impl(input: &DeriveInput, options: &Options, more: Tokens) -> Tokens {
    let ident = &input.ident;
    let (impl_generics, ty, where_clause) = input.generics.split_for_impl();
    let items = value_items(input, options);
    let plain = if options.plain {
        plain_impl(input).unwrap_or_else(|e| e.to_compile_error())
    } else {
        quote!()
    };
    quote! {
        #plain
        impl #impl_generics ::lockstep_ecs::Value for #ident #ty #where_clause { #items }
        #more
    }
}

fn run(
    input: TokenStream,
    attribute: &str,
    f: impl Fn(&DeriveInput, Options) -> Tokens,
) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    match options(&input, attribute) {
        Ok(options) => f(&input, options).into(),
        Err(e) => e.to_compile_error().into(),
    }
}

/// Makes a type a component.
///
/// Options: `#[component(plain)]` (snapshot, delta, hash; also automatic with `derive(Plain)`), `storage = "table" | "sparse"`,
/// `name = "stable name"`, `on_add = f`, `on_remove = f`, `on_change = f` (hooks, called before observers).
#[proc_macro_derive(Component, attributes(component))]
pub fn derive_component(input: TokenStream) -> TokenStream {
    run(input, "component", |input, options| {
        let ident = &input.ident;
        let (impl_generics, ty, where_clause) = input.generics.split_for_impl();
        let storage = if options.sparse { format_ident!("Sparse") } else { format_ident!("Table") };
        let key = if input.generics.params.is_empty() {
            quote!(::lockstep_ecs::__private::key(
                ::core::concat!(::core::module_path!(), "::", ::core::stringify!(#ident)),
                ::core::line!(),
                ::core::column!()
            ))
        } else {
            quote!(0)
        };
        let hook = |name: &str, path: &Option<Path>| {
            let name = format_ident!("{name}");
            match path {
                Some(path) => {
                    quote!(fn #name() -> ::core::option::Option<::lockstep_ecs::Handler<Self>> { ::core::option::Option::Some(#path) })
                }
                None => quote!(),
            }
        };
        let hooks = [
            hook("on_add", &options.on_add),
            hook("on_remove", &options.on_remove),
            hook("on_change", &options.on_change),
        ];
        let more = quote! {
            impl #impl_generics ::lockstep_ecs::Component for #ident #ty #where_clause {
                const KEY: u64 = #key;
                const STORAGE: ::lockstep_ecs::Storage = ::lockstep_ecs::Storage::#storage;
                #(#hooks)*
            }
        };
        value_impl(input, &options, more)
    })
}

/// Makes a type a resource. Options: `plain`, `name`, `transient` (left out of snapshots and hashes on purpose).
#[proc_macro_derive(Resource, attributes(resource))]
pub fn derive_resource(input: TokenStream) -> TokenStream {
    run(input, "resource", |input, options| {
        let ident = &input.ident;
        let (impl_generics, ty, where_clause) = input.generics.split_for_impl();
        let transient = options.transient;
        let more = quote! {
            impl #impl_generics ::lockstep_ecs::Resource for #ident #ty #where_clause {
                const TRANSIENT: bool = #transient;
            }
        };
        value_impl(input, &options, more)
    })
}

/// Makes a type an event. Options: `plain`, `name`.
#[proc_macro_derive(Event, attributes(event))]
pub fn derive_event(input: TokenStream) -> TokenStream {
    run(input, "event", |input, options| {
        let ident = &input.ident;
        let (impl_generics, ty, where_clause) = input.generics.split_for_impl();
        value_impl(
            input,
            &options,
            quote!(impl #impl_generics ::lockstep_ecs::Event for #ident #ty #where_clause {}),
        )
    })
}

/// Makes a type a relation whose values are the payloads of pairs. Options: `exclusive` (one target a subject), `cascade`
/// (subjects go with their target), `plain`, `name`.
#[proc_macro_derive(Relation, attributes(relation))]
pub fn derive_relation(input: TokenStream) -> TokenStream {
    run(input, "relation", |input, options| {
        let ident = &input.ident;
        let (impl_generics, ty, where_clause) = input.generics.split_for_impl();
        let (exclusive, cascade) = (options.exclusive, options.cascade);
        let more = quote! {
            impl #impl_generics ::lockstep_ecs::Relation for #ident #ty #where_clause {
                const EXCLUSIVE: bool = #exclusive;
                const CASCADE: bool = #cascade;
            }
        };
        value_impl(input, &options, more)
    })
}

/// Gives a type a canonical little-endian encoding, and with it snapshots, deltas, hashes and entity remapping.
#[proc_macro_derive(Plain)]
pub fn derive_plain(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    plain_impl(&input).unwrap_or_else(|e| e.to_compile_error()).into()
}

fn plain_impl(input: &DeriveInput) -> syn::Result<Tokens> {
    let ident = &input.ident;
    let mut generics = input.generics.clone();
    for p in generics.type_params_mut() {
        p.bounds.push(syn::parse_quote!(::lockstep_ecs::Plain));
    }
    let (impl_generics, ty, where_clause) = generics.split_for_impl();
    let plain = quote!(::lockstep_ecs::Plain);
    let body = match &input.data {
        Data::Struct(data) => {
            let members: Vec<_> =
                data.fields.iter().enumerate().map(|(i, f)| member(i, f)).collect();
            let types: Vec<_> = data.fields.iter().map(|f| &f.ty).collect();
            let names: Vec<_> = members
                .iter()
                .map(|m| match m {
                    syn::Member::Named(i) => i.to_string(),
                    syn::Member::Unnamed(i) => i.index.to_string(),
                })
                .collect();
            quote! {
                const SCHEMA: u64 = ::lockstep_ecs::__private::schema(
                    ::core::stringify!(#ident), &[#((#names, <#types as #plain>::SCHEMA)),*]);
                const POD: ::lockstep_ecs::Pod = ::lockstep_ecs::__private::pod_struct::<Self>(
                    &[#((::core::mem::offset_of!(Self, #members), ::core::mem::size_of::<#types>(), <#types as #plain>::POD)),*]);
                const HAS_ENTITIES: bool = false #(|| <#types as #plain>::HAS_ENTITIES)*;
                fn encode(&self, out: &mut ::std::vec::Vec<u8>) { #(#plain::encode(&self.#members, out);)* }
                fn decode(input: &mut ::lockstep_ecs::Reader<'_>) -> ::core::result::Result<Self, ::lockstep_ecs::DecodeError> {
                    ::core::result::Result::Ok(Self { #(#members: #plain::decode(input)?),* })
                }
                fn visit_entities(&mut self, visit: &mut dyn ::core::ops::FnMut(&mut ::lockstep_ecs::Entity)) {
                    #(#plain::visit_entities(&mut self.#members, visit);)*
                }
            }
        }
        Data::Enum(data) => {
            if data.variants.is_empty() {
                return Err(syn::Error::new_spanned(
                    ident,
                    "an enum without variants has no values to encode",
                ));
            }
            let mut schemas = Vec::new();
            let mut encode = Vec::new();
            let mut decode = Vec::new();
            let mut visit = Vec::new();
            let mut has = Vec::new();
            for (i, v) in data.variants.iter().enumerate() {
                let name = &v.ident;
                let tag = i as u32;
                let types: Vec<_> = v.fields.iter().map(|f| &f.ty).collect();
                let bind: Vec<_> = (0..types.len()).map(|k| format_ident!("field_{k}")).collect();
                let (pattern, build) = match &v.fields {
                    Fields::Named(fields) => {
                        let members: Vec<_> = fields.named.iter().map(|f| &f.ident).collect();
                        (
                            quote!(Self::#name { #(#members: #bind),* }),
                            quote!(Self::#name { #(#members: #plain::decode(input)?),* }),
                        )
                    }
                    Fields::Unnamed(_) => (quote!(Self::#name(#(#bind),*)), {
                        let decodes = types.iter().map(|_| quote!(#plain::decode(input)?));
                        quote!(Self::#name(#(#decodes),*))
                    }),
                    Fields::Unit => (quote!(Self::#name), quote!(Self::#name)),
                };
                let text = name.to_string();
                schemas.push(quote!((#text, ::lockstep_ecs::__private::schema(#text, &[#(("", <#types as #plain>::SCHEMA)),*]))));
                encode.push(quote!(#pattern => { #plain::encode(&#tag, out); #(#plain::encode(#bind, out);)* }));
                decode.push(quote!(#tag => ::core::result::Result::Ok(#build),));
                visit.push(quote!(#pattern => { #(#plain::visit_entities(#bind, visit);)* }));
                has.extend(types.iter().map(|t| quote!(<#t as #plain>::HAS_ENTITIES)));
            }
            quote! {
                const SCHEMA: u64 = ::lockstep_ecs::__private::schema(::core::stringify!(#ident), &[#(#schemas),*]);
                const POD: ::lockstep_ecs::Pod = ::lockstep_ecs::Pod::NO;
                const HAS_ENTITIES: bool = false #(|| #has)*;
                fn encode(&self, out: &mut ::std::vec::Vec<u8>) { match self { #(#encode)* } }
                fn decode(input: &mut ::lockstep_ecs::Reader<'_>) -> ::core::result::Result<Self, ::lockstep_ecs::DecodeError> {
                    match <u32 as #plain>::decode(input)? {
                        #(#decode)*
                        _ => ::core::result::Result::Err(::lockstep_ecs::DecodeError::Tag),
                    }
                }
                fn visit_entities(&mut self, visit: &mut dyn ::core::ops::FnMut(&mut ::lockstep_ecs::Entity)) {
                    let _ = &visit;
                    match self { #(#visit)* }
                }
            }
        }
        Data::Union(_) => {
            return Err(syn::Error::new_spanned(ident, "a union has no canonical encoding"));
        }
    };
    Ok(quote! {
        impl #impl_generics ::lockstep_ecs::Plain for #ident #ty #where_clause { #body }
    })
}

/// Makes a struct of components (or of bundles) a bundle; the order of fields is the order of observers.
#[proc_macro_derive(Bundle)]
pub fn derive_bundle(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    let ident = &input.ident;
    let Data::Struct(data) = &input.data else {
        return syn::Error::new_spanned(ident, "a bundle is a struct of components")
            .to_compile_error()
            .into();
    };
    let (impl_generics, ty, where_clause) = input.generics.split_for_impl();
    let members: Vec<_> = data.fields.iter().enumerate().map(|(i, f)| member(i, f)).collect();
    let types: Vec<_> = data.fields.iter().map(|f| &f.ty).collect();
    quote! {
        impl #impl_generics ::lockstep_ecs::Bundle for #ident #ty #where_clause {
            const TABLE: bool = false #(|| <#types as ::lockstep_ecs::Bundle>::TABLE)*;
            fn components(out: &mut ::lockstep_ecs::ComponentList<'_>) { #(<#types as ::lockstep_ecs::Bundle>::components(out);)* }
            fn put<S: ::lockstep_ecs::BundleSink>(self, sink: &mut S) { #(::lockstep_ecs::Bundle::put(self.#members, sink);)* }
            fn visit_entities(&mut self, visit: &mut dyn ::core::ops::FnMut(&mut ::lockstep_ecs::Entity)) {
                #(::lockstep_ecs::Bundle::visit_entities(&mut self.#members, visit);)*
            }
        }
    }
    .into()
}
