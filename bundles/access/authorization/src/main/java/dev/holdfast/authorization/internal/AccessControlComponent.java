package dev.holdfast.authorization.internal;

import dev.holdfast.access.AccessControl;
import dev.holdfast.access.AccessDecision;
import dev.holdfast.access.AccessRequest;
import dev.holdfast.access.AccessRule;
import dev.holdfast.access.Caller;
import dev.holdfast.error.StorageException;
import dev.holdfast.store.ResourceStore;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;

/** The access control of a node, as a service. */
@Component
public final class AccessControlComponent implements AccessControl {
  private final StoreAccessControl control;

  /** Starts reading the store. */
  @Activate
  public AccessControlComponent(@Reference ResourceStore store) {
    control = new StoreAccessControl(store, Clock.systemUTC());
    control.readLater();
  }

  @Override
  public Optional<Caller> callerOf(String token) throws StorageException {
    return control.callerOf(token);
  }

  @Override
  public Optional<Caller> callerWith(String hash) throws StorageException {
    return control.callerWith(hash);
  }

  @Override
  public AccessDecision decide(Caller caller, AccessRequest request) {
    return control.decide(caller, request);
  }

  @Override
  public List<AccessRule> rulesOf(Caller caller) {
    return control.rulesOf(caller);
  }

  @Override
  public boolean used(Caller caller, String source) {
    return control.used(caller, source);
  }

  /** Stops following changes. */
  @Deactivate
  public void close() {
    control.close();
  }
}
