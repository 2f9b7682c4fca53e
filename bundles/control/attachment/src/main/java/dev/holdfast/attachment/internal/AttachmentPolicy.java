package dev.holdfast.attachment.internal;

/** Decides about one volume's attachment: a pure function. */
@FunctionalInterface
interface AttachmentPolicy {
  Decision next(AttachmentView view);
}
