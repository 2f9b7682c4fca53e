package dev.holdfast.upgrader.internal;

import org.osgi.framework.BundleActivator;
import org.osgi.framework.BundleContext;

/** Activator of a bundle that fails to start. */
public final class FailingActivator implements BundleActivator {
  @Override
  public void start(BundleContext context) {
    throw new IllegalStateException("planted: it does not start");
  }

  @Override
  public void stop(BundleContext context) {}
}
