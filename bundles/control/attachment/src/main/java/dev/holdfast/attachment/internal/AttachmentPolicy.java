package dev.holdfast.attachment.internal;

/** Decides about a volume's attachment. A pure function. */
@FunctionalInterface
interface AttachmentPolicy {
  Decision next(AttachmentView view);
}
