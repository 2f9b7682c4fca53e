package dev.holdfast.frontend;

import org.osgi.annotation.versioning.ProviderType;

/** Prevents the reuse of an input buffer. */
@ProviderType
public interface InputLease {
  /** Returns the buffer. Called once, by any thread. */
  void release();
}
