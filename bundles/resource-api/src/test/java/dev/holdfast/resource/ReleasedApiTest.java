package dev.holdfast.resource;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.error.StorageException;
import java.io.IOException;
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
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarFile;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * What was released stays callable: all that is public, but the builders that are generated anew
 * for every field of a record.
 */
class ReleasedApiTest {
  private static final Path RELEASES =
      Path.of("..", "..", "releases", "repository", "dev", "holdfast", "holdfast-resource-api");

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

  @Test
  void nothingThatWasReleasedIsGone() throws Exception {
    Path jar = released();
    Set<String> types = types(jar);
    assertThat(types).contains("dev.holdfast.resource.VolumeSpec").hasSizeGreaterThan(40);
    URL errors = StorageException.class.getProtectionDomain().getCodeSource().getLocation();
    URL[] urls = {jar.toUri().toURL(), errors};
    try (URLClassLoader old = new URLClassLoader(urls, ClassLoader.getPlatformClassLoader())) {
      Set<String> before = members(old, types);
      assertThat(before).hasSizeGreaterThan(300);
      assertThat(members(ReleasedApiTest.class.getClassLoader(), types)).containsAll(before);
    }
  }
}
