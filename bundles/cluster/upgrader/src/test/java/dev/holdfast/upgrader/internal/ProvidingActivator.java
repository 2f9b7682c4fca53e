package dev.holdfast.upgrader.internal;

import java.security.Provider;
import java.security.Security;
import org.osgi.framework.BundleActivator;
import org.osgi.framework.BundleContext;

/** Activator of a bundle that registers a security provider and does not remove it. */
public final class ProvidingActivator extends Provider implements BundleActivator {
  static final String NAME = "planted";
  private static final long serialVersionUID = 1;

  /** Creates the activator. */
  public ProvidingActivator() {
    super(NAME, "1.0", "of a bundle");
  }

  @Override
  public void start(BundleContext context) {
    int unused = Security.addProvider(this);
  }

  @Override
  public void stop(BundleContext context) {}
}
