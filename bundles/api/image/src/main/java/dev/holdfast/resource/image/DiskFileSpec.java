package dev.holdfast.resource.image;

/**
 * One disk that shall have an image's file.
 *
 * @param evictionRequested whether the file is to leave the disk once another copy replaces it
 */
public record DiskFileSpec(boolean evictionRequested) {}
