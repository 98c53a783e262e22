/// The bounds of the protocol and of the program. Each is an extension beside the part that it bounds, and in the table of Protocol.md
/// section 11, which a check compares. Sizes are in bytes unless the name says otherwise.
package enum Limits {}
