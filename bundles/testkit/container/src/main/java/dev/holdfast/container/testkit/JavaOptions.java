package dev.holdfast.container.testkit;

import static org.ops4j.pax.exam.CoreOptions.vmOptions;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Properties;
import java.util.stream.Stream;
import org.ops4j.pax.exam.Option;

/**
 * The options of a node's Java, as in {@code libexec/instance.sh}. Paths are relative to the
 * container's folder, which is the working directory.
 */
final class JavaOptions {
  private static final List<String> OPENED =
      List.of(
          "java.base/java.security",
          "java.base/java.net",
          "java.base/java.lang",
          "java.base/java.util",
          "java.naming/javax.naming.spi",
          "java.rmi/sun.rmi.transport.tcp");
  private static final List<String> EXPORTED =
      List.of(
          "java.base/sun.net.www.protocol.file",
          "java.base/sun.net.www.protocol.ftp",
          "java.base/sun.net.www.protocol.http",
          "java.base/sun.net.www.protocol.https",
          "java.base/sun.net.www.protocol.jar",
          "java.base/sun.net.www.content.text",
          "jdk.xml.dom/org.w3c.dom.html",
          "jdk.naming.rmi/com.sun.jndi.url.rmi",
          "java.rmi/sun.rmi.registry",
          "java.security.sasl/com.sun.security.sasl",
          "java.naming/com.sun.jndi.ldap");

  private JavaOptions() {}

  static Option ofKaraf() {
    String karaf = version();
    Stream<String> fixed =
        Stream.of(
            "-Xms64m",
            "-Xmx512m",
            "-XX:TieredStopAtLevel=1",
            "--add-reads=java.xml=java.logging",
            "--add-exports=java.base/org.apache.karaf.specs.locator=java.xml,ALL-UNNAMED",
            "--patch-module",
            "java.base=lib/endorsed/org.apache.karaf.specs.locator-" + karaf + ".jar",
            "--patch-module",
            "java.xml=lib/endorsed/org.apache.karaf.specs.java.xml-" + karaf + ".jar");
    Stream<String> opened = OPENED.stream().map(name -> "--add-opens=" + name + "=ALL-UNNAMED");
    Stream<String> exported =
        EXPORTED.stream().map(name -> "--add-exports=" + name + "=ALL-UNNAMED");
    Stream<String> classes = Stream.of("-classpath", "lib/jdk9plus/*:lib/boot/*");
    return vmOptions(
        Stream.of(fixed, opened, exported, classes)
            .flatMap(options -> options)
            .toArray(String[]::new));
  }

  private static String version() {
    try (InputStream in = JavaOptions.class.getResourceAsStream("karaf.properties")) {
      Properties properties = new Properties();
      properties.load(in);
      return properties.getProperty("version");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
