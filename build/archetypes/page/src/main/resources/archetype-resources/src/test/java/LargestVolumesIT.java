package ${package};

import static dev.holdfast.container.testkit.HoldfastContainer.node;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotNull;
import static org.junit.Assert.assertNull;
import static org.ops4j.pax.exam.CoreOptions.bundle;
import static org.ops4j.pax.exam.CoreOptions.options;

import dev.holdfast.page.contribution.PageContribution;
import java.nio.file.Path;
import javax.inject.Inject;
import org.apache.karaf.features.BootFinished;
import org.junit.After;
import org.junit.Before;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.ops4j.pax.exam.Configuration;
import org.ops4j.pax.exam.Option;
import org.ops4j.pax.exam.junit.PaxExam;
import org.ops4j.pax.exam.spi.reactors.ExamReactorStrategy;
import org.ops4j.pax.exam.spi.reactors.PerClass;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.util.tracker.ServiceTracker;

/** The bundle in a node of its own, seen from inside: its service comes and goes with it. */
@RunWith(PaxExam.class)
@ExamReactorStrategy(PerClass.class)
public class LargestVolumesIT {
  private static final long LIMIT_MILLIS = 60_000;

  /** A test begins when all bundles have started. */
  @Inject BootFinished bootFinished;

  @Inject private BundleContext context;
  private ServiceTracker<PageContribution, PageContribution> services;

  @Configuration
  public Option[] container() {
    String jar = Path.of(System.getProperty("plugin.jar")).toUri().toString();
    return options(node("node"), bundle(jar));
  }

  @Before
  public void follow() throws Exception {
    String filter =
        "(&(objectClass=%s)(component.name=%s))"
            .formatted(PageContribution.class.getName(), "${package}.LargestVolumes");
    services = new ServiceTracker<>(context, context.createFilter(filter), null);
    services.open();
  }

  @After
  public void unfollow() {
    services.close();
  }

  @Test
  public void serviceIsRegisteredUnderItsName() throws Exception {
    PageContribution service = services.waitForService(LIMIT_MILLIS);
    assertNotNull("LargestVolumes is not registered: scr:info tells what it lacks", service);
    assertEquals("${artifactId}", service.name());
  }

  @Test
  public void serviceLeavesAndReturnsWithItsBundle() throws Exception {
    services.waitForService(LIMIT_MILLIS);
    Bundle plugin = services.getServiceReference().getBundle();
    plugin.stop();
    assertNull("LargestVolumes is still registered", services.getService());
    plugin.start();
    assertNotNull("LargestVolumes is not registered again", services.waitForService(LIMIT_MILLIS));
  }
}
