"""A web shop: search a catalogue, read pages, choose options and buy what an instruction asks for."""
