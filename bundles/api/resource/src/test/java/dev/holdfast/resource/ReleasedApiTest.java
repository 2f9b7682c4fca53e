package dev.holdfast.resource;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.jar.JarFile;
import java.util.jar.Manifest;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Compares the public members with those of the last release. Within one major version none may
 * disappear. Generated builders are exempt, because each new field of a record changes them.
 */
class ReleasedApiTest {
  private static final Path RELEASES =
      Path.of("../../../build/releases/repository/dev/holdfast/holdfast-resource-api");

  private static Path released() throws IOException {
    try (Stream<Path> files = Files.walk(RELEASES)) {
      return files
          .filter(file -> file.toString().endsWith(".jar"))
          .max(Path::compareTo)
          .orElseThrow();
    }
  }

  private static Set<String> members(ClassLoader loader, Set<String> types) throws Exception {
    Set<String> members = new TreeSet<>();
    for (String name : types) {
      Class<?> type = Class.forName(name, false, loader);
      if (Modifier.isPublic(type.getModifiers()) && !type.getName().contains("Builder")) {
        Stream.of(type.getConstructors(), type.getMethods(), type.getFields())
            .flatMap(Arrays::stream)
            .filter(member -> !member.getDeclaringClass().getName().contains("Builder"))
            .forEach(member -> members.add(name + ": " + signature(member)));
      }
    }
    return members;
  }

  private static String signature(Member member) {
    boolean isStatic = Modifier.isStatic(member.getModifiers());
    String kind = isStatic ? "static " : "";
    if (member instanceof Field field) {
      return kind + field.getType().getName() + " " + field.getName();
    }
    String parameters =
        Arrays.stream(((Executable) member).getParameterTypes())
            .map(Class::getName)
            .collect(Collectors.joining(", ", "(", ")"));
    return member instanceof Method method
        ? kind + method.getReturnType().getName() + " " + method.getName() + parameters
        : ((Constructor<?>) member).getName() + parameters;
  }

  private static Set<String> types(Path jar) throws IOException {
    try (JarFile file = new JarFile(jar.toFile())) {
      return file.stream()
          .map(entry -> entry.getName())
          .filter(name -> name.startsWith("dev/holdfast/resource/") && name.endsWith(".class"))
          .map(name -> name.substring(0, name.length() - ".class".length()).replace('/', '.'))
          .filter(name -> !name.endsWith("package-info"))
          .collect(Collectors.toCollection(TreeSet::new));
    }
  }

  /** Versions of exported packages, by name, from {@code Export-Package}. */
  private static Map<String, Integer> majors(Manifest manifest) {
    Map<String, Integer> majors = new TreeMap<>();
    Matcher clause =
        Pattern.compile("(dev\\.holdfast\\.[a-z.]+);[^,]*?version=\"(\\d+)")
            .matcher(
                manifest
                    .getMainAttributes()
                    .getValue("Export-Package")
                    .replaceAll("uses:=\"[^\"]*\";?", ""));
    while (clause.find()) {
      majors.put(clause.group(1), Integer.valueOf(clause.group(2)));
    }
    return majors;
  }

  private static Map<String, Integer> currentMajors() throws IOException {
    try (InputStream in = Files.newInputStream(Path.of("target/classes/META-INF/MANIFEST.MF"))) {
      return majors(new Manifest(in));
    }
  }

  @Test
  void releasedMembersStayUntilTheMajorVersionIsRaised() throws Exception {
    Path jar = released();
    Map<String, Integer> current = currentMajors();
    Map<String, Integer> before;
    try (JarFile file = new JarFile(jar.toFile())) {
      before = majors(file.getManifest());
    }
    assertThat(before).containsKey("dev.holdfast.resource");
    Set<String> types =
        types(jar).stream()
            .filter(type -> isSameMajor(type.substring(0, type.lastIndexOf('.')), before, current))
            .collect(Collectors.toCollection(TreeSet::new));
    URL errors = StorageException.class.getProtectionDomain().getCodeSource().getLocation();
    URL[] urls = {jar.toUri().toURL(), errors};
    try (URLClassLoader old = new URLClassLoader(urls, ClassLoader.getPlatformClassLoader())) {
      assertThat(members(ReleasedApiTest.class.getClassLoader(), types))
          .containsAll(members(old, types));
    }
  }

  @Test
  void majorVersionNeverFalls() throws Exception {
    Map<String, Integer> current = currentMajors();
    try (JarFile file = new JarFile(released().toFile())) {
      majors(file.getManifest())
          .forEach(
              (name, major) ->
                  assertThat(current.get(name)).as(name).isGreaterThanOrEqualTo(major));
    }
  }

  private static boolean isSameMajor(
      String name, Map<String, Integer> before, Map<String, Integer> current) {
    return before.get(name) != null && before.get(name).equals(current.get(name));
  }
}
