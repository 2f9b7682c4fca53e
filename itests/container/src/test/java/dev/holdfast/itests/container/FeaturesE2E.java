package dev.holdfast.itests.container;

import static dev.holdfast.container.testkit.HoldfastContainer.bundleOf;
import static dev.holdfast.container.testkit.HoldfastContainer.node;
import static org.assertj.core.api.Assertions.assertThat;
import static org.ops4j.pax.exam.CoreOptions.options;
import static org.ops4j.pax.exam.karaf.options.KarafDistributionOption.editConfigurationFilePut;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.stream.Stream;
import javax.inject.Inject;
import net.bytebuddy.ByteBuddy;
import org.apache.karaf.features.BootFinished;
import org.apache.karaf.features.Feature;
import org.apache.karaf.features.FeaturesService;
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

/** Each feature in a container that has none of the others: what it needs, it names. */
@RunWith(PaxExam.class)
@ExamReactorStrategy(PerClass.class)
public class FeaturesE2E {
  private static final EnumSet<FeaturesService.Option> WITHOUT_REFRESH =
      EnumSet.of(FeaturesService.Option.NoAutoRefreshBundles);

  @Inject private FeaturesService features;

  /** A test begins when all bundles have started. */
  @Inject BootFinished bootFinished;

  @Inject private BundleContext context;

  @Configuration
  public Option[] container() {
    return options(
        node("features"),
        editConfigurationFilePut(
            "etc/org.apache.karaf.features.cfg",
            "featuresBoot",
            "framework,scr,eventadmin,feature,shell,log,service,jaas,ssh,wrap,bundle"),
        bundleOf(ByteBuddy.class),
        bundleOf(Assertions.class));
  }

  @Test
  public void eachResolvesAndStartsAlone() throws Exception {
    List<Feature> ours = ours();
    assertThat(ours).extracting(Feature::getName).contains("holdfast", "holdfast-engine-sparse");
    List<Bundle> before = bundles();

    for (Feature feature : ours) {
      features.installFeature(feature.getId(), WITHOUT_REFRESH);

      assertThat(bundles()).as(feature.getId()).hasSizeGreaterThan(before.size());
      assertThat(notRunning()).as(feature.getId()).isEmpty();

      features.uninstallFeature(feature.getId(), WITHOUT_REFRESH);
      Refresh.ofAllRemoved(context);
      assertThat(bundles()).as("after " + feature.getId()).isEqualTo(before);
    }
  }

  private List<Feature> ours() throws Exception {
    return Arrays.stream(features.listFeatures())
        .filter(feature -> feature.getName().matches("holdfast(-.*)?"))
        .toList();
  }

  private List<Bundle> bundles() {
    return List.of(context.getBundles());
  }

  private Stream<Bundle> notRunning() {
    return bundles().stream().filter(bundle -> !NodeBundles.runs(bundle));
  }
}
