package dev.holdfast.itests.container;

import static dev.holdfast.container.testkit.HoldfastContainer.bundleOf;
import static dev.holdfast.container.testkit.HoldfastContainer.node;
import static org.assertj.core.api.Assertions.assertThat;
import static org.ops4j.pax.exam.CoreOptions.options;

import java.lang.ref.WeakReference;
import java.util.List;
import java.util.Map;
import javax.inject.Inject;
import net.bytebuddy.ByteBuddy;
import org.apache.karaf.features.BootFinished;
import org.assertj.core.api.Assertions;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.ops4j.pax.exam.Configuration;
import org.ops4j.pax.exam.Option;
import org.ops4j.pax.exam.junit.PaxExam;
import org.ops4j.pax.exam.spi.reactors.ExamReactorStrategy;
import org.ops4j.pax.exam.spi.reactors.PerClass;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.framework.wiring.BundleWiring;
import org.osgi.service.component.runtime.ServiceComponentRuntime;

/** Components, services and class loaders of a whole node, seen from inside. */
@RunWith(PaxExam.class)
@ExamReactorStrategy(PerClass.class)
public class NodeServicesE2E {
  /** The services by which plugins join a node. */
  private static final List<String> CONTRACTS =
      List.of(
          "dev.holdfast.engine.EngineProvider",
          "dev.holdfast.frontend.FrontendProvider",
          "dev.holdfast.attacher.AttacherProvider");

  /** Components that do not run in a node with a store of its own, and why. */
  private static final Map<String, String> WITH_A_REASON =
      Map.of(
          "dev.holdfast.store.remote", "for a node that joined another",
          "dev.holdfast.store.remote.certificate", "for a node that joined another",
          "dev.holdfast.store.kubernetes", "for a node whose store is chosen so",
          "dev.holdfast.store.etcd", "for a node whose store is chosen so",
          "dev.holdfast.certificates.shared", "for nodes that share a store");

  /** A test begins when all bundles have started. */
  @Inject BootFinished bootFinished;

  @Inject private BundleContext context;
  @Inject private ServiceComponentRuntime components;

  @Configuration
  public Option[] container() {
    return options(node("node"), bundleOf(ByteBuddy.class), bundleOf(Assertions.class));
  }

  @Test
  public void everyBundleRuns() {
    assertThat(context.getBundles()).allMatch(NodeBundles::runs);
  }

  @Test
  public void everyComponentIsSatisfiedOrHasAReason() throws Exception {
    Await.until(
        () -> "components that do not run: " + UnsatisfiedComponents.of(components),
        () -> UnsatisfiedComponents.of(components).keySet().equals(WITH_A_REASON.keySet()));
  }

  /** Volume groups of several nodes need both services. */
  @Test
  public void engineOfVolumeGroupsUsesThePortalAndTheChannelsToOtherNodes() throws Exception {
    NodeBundles bundles = new NodeBundles(context);
    for (String service :
        List.of("dev.holdfast.frontend.Portal", "dev.holdfast.rpc.NodeChannels")) {
      Await.until(
          () -> "bundle dev.holdfast.engine.lvm uses " + service,
          () -> bundles.using(service).contains("dev.holdfast.engine.lvm"));
    }
  }

  @Test
  public void pluginsArriveAndLeaveWithTheirBundles() throws Exception {
    NodeBundles bundles = new NodeBundles(context);
    for (String contract : CONTRACTS) {
      List<Bundle> plugins = bundles.offering(contract);
      assertThat(plugins).as(contract).isNotEmpty();
      for (Bundle plugin : plugins) {
        String location = plugin.getLocation();
        plugin.uninstall();
        Await.until(
            () -> contract + " of " + location + " leaves",
            () -> !bundles.offering(contract).contains(plugin));
        Bundle again = context.installBundle(location);
        again.start();
        Await.until(
            () -> contract + " of " + location + " arrives",
            () -> bundles.offering(contract).contains(again));
      }
    }
  }

  @Test
  public void refreshedPluginLeavesNoClassLoaderBehind() throws Exception {
    NodeBundles bundles = new NodeBundles(context);
    for (String contract : CONTRACTS) {
      for (Bundle plugin : bundles.offering(contract)) {
        WeakReference<ClassLoader> before = loader(plugin);
        Refresh.of(context, plugin);
        Await.until(
            () -> contract + " of " + plugin + " arrives again",
            () -> bundles.offering(contract).contains(plugin));
        awaitCollection(plugin, before);
      }
    }
  }

  private static WeakReference<ClassLoader> loader(Bundle bundle) {
    return new WeakReference<>(bundle.adapt(BundleWiring.class).getClassLoader());
  }

  private static void awaitCollection(Bundle bundle, WeakReference<ClassLoader> loader)
      throws Exception {
    Await.until(
        () -> "the class loader of " + bundle + " is collected",
        () -> {
          System.gc();
          return loader.get() == null;
        });
  }
}
