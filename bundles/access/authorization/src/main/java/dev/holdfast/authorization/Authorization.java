package dev.holdfast.authorization;

import dev.holdfast.access.AccessControl;
import dev.holdfast.authorization.internal.StoreAccessControl;
import dev.holdfast.store.ResourceStore;
import java.time.Clock;

/**
 * Access control outside of the container, for tests and for programs that serve a store. In the
 * container use the service.
 */
public final class Authorization implements AutoCloseable {
  private final StoreAccessControl control;

  private Authorization(StoreAccessControl control) {
    this.control = control;
  }

  /**
   * Reads tokens, roles and bindings of a store, and follows their changes.
   *
   * @param store store with the tokens, not null
   * @param clock clock for the expiry of tokens, not null
   * @return the rights, never null; close them when done
   */
  public static Authorization over(ResourceStore store, Clock clock) {
    StoreAccessControl control = new StoreAccessControl(store, clock);
    control.readNow();
    return new Authorization(control);
  }

  /** Returns the access control, never null. */
  public AccessControl control() {
    return control;
  }

  /** Stops following changes. */
  @Override
  public void close() {
    control.close();
  }
}
