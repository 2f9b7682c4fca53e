package dev.holdfast.upgrader.internal;

import org.osgi.framework.BundleActivator;
import org.osgi.framework.BundleContext;

/** Activator of a bundle that uses a service of another bundle while it runs. */
public final class UsingActivator implements BundleActivator {
  @Override
  public void start(BundleContext context) {
    context.getService(context.getServiceReference(Runnable.class)).run();
  }

  @Override
  public void stop(BundleContext context) {}
}
