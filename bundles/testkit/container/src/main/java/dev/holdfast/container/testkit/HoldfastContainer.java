package dev.holdfast.container.testkit;

import static org.ops4j.pax.exam.CoreOptions.bundle;
import static org.ops4j.pax.exam.CoreOptions.composite;
import static org.ops4j.pax.exam.CoreOptions.systemProperty;
import static org.ops4j.pax.exam.karaf.options.KarafDistributionOption.configureConsole;
import static org.ops4j.pax.exam.karaf.options.KarafDistributionOption.doNotModifyLogConfiguration;
import static org.ops4j.pax.exam.karaf.options.KarafDistributionOption.editConfigurationFilePut;
import static org.ops4j.pax.exam.karaf.options.KarafDistributionOption.karafDistributionConfiguration;
import static org.ops4j.pax.exam.karaf.options.KarafDistributionOption.keepRuntimeFolder;

import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.ops4j.pax.exam.CoreOptions;
import org.ops4j.pax.exam.Option;

/**
 * The container of a Pax Exam test: the distribution, unpacked below {@code target/container}, as a
 * node with its own ports and data. The container remains after the test, with its log in {@code
 * data/log/holdfast.log}, until the next start.
 */
public final class HoldfastContainer {
  /** System property: the distribution's {@code tar.gz}. */
  public static final String ARCHIVE = "holdfast.archive";

  private static final String MAVEN = "etc/org.ops4j.pax.url.mvn.cfg";

  private HoldfastContainer() {}

  /**
   * Returns the options of a node that starts all features of the distribution.
   *
   * @param name the container's folder, unique among the test classes of a module
   */
  public static Option node(String name) {
    return composite(
        karafDistributionConfiguration()
            .frameworkUrl(archive().toUri().toString())
            .unpackDirectory(Path.of("target", "container").toFile())
            .directoryNameFormat("'" + name + "'")
            .useDeployFolder(false),
        keepRuntimeFolder(),
        configureConsole().ignoreLocalConsole().ignoreRemoteShell(),
        doNotModifyLogConfiguration(),
        bundlesOfTests(),
        settings(),
        JavaOptions.ofKaraf());
  }

  /** Returns the option that installs the jar or folder with a class. */
  public static Option bundleOf(Class<?> type) {
    return bundle(home(type).toUri().toString());
  }

  /** Returns the settings of {@code libexec/instance.sh}. */
  private static Option settings() {
    return composite(
        composite(FreePorts.settings()),
        systemProperty("holdfast.data").value("${karaf.base}/data/holdfast"),
        systemProperty("holdfast.node.name").value("node-1"),
        systemProperty("holdfast.address").value("127.0.0.1"),
        systemProperty("holdfast.advertised.address").value("127.0.0.1"),
        systemProperty("holdfast.ssh.address").value("127.0.0.1"),
        systemProperty("holdfast.default.disks").value("1"),
        systemProperty("holdfast.store").value("embedded"),
        systemProperty("ds.lock.timeout.milliseconds").value("120000"));
  }

  /**
   * Returns the repository for the bundles of Pax Exam, because a node finds only the bundles of
   * its distribution.
   */
  private static Option bundlesOfTests() {
    return editConfigurationFilePut(
        MAVEN,
        "org.ops4j.pax.url.mvn.defaultRepositories",
        "${karaf.home.uri}${karaf.default.repository}@id=system.repository@snapshots,"
            + repository().toUri()
            + "@id=tests@snapshots");
  }

  private static Path archive() {
    String archive = System.getProperty(ARCHIVE, "");
    if (archive.isEmpty() || !Files.isRegularFile(Path.of(archive))) {
      throw new IllegalStateException(
          ARCHIVE + " must name the distribution's tar.gz; it is \"" + archive + "\"");
    }
    return Path.of(archive).toAbsolutePath();
  }

  /**
   * Returns the repository from which Maven took Pax Exam:
   * REPOSITORY/org/ops4j/pax/exam/NAME/VERSION.
   */
  private static Path repository() {
    Path version = home(CoreOptions.class).getParent();
    return version.resolve("../../../../../..").normalize();
  }

  private static Path home(Class<?> type) {
    try {
      return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (URISyntaxException e) {
      throw new IllegalStateException("cannot tell where " + type + " is", e);
    }
  }
}
