package dev.holdfast.resource.image;

/**
 * A wanted disk of an image.
 *
 * @param evictionRequested whether the file must leave the disk after another copy has replaced it
 */
public record DiskFileSpec(boolean evictionRequested) {}
