package dev.holdfast.frontend;

import org.osgi.annotation.versioning.ProviderType;

/** Keeps an input buffer from being used again. */
@ProviderType
public interface InputLease {
  /** Gives the buffer back; to be called once, by any thread. */
  void release();
}
