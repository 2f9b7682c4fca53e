package dev.holdfast.commands.verbs;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;

/** Inconsistent arguments and options. The help of the verb is the remedy. */
public final class WrongUse extends StorageException {
  private static final long serialVersionUID = 1L;

  WrongUse(String message) {
    super(ErrorCode.INVALID, message);
  }
}
