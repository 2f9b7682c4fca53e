package dev.holdfast.description;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DescriptionProcessorTest {
  @TempDir Path directory;

  private Properties describe(String source) throws Exception {
    Path file = Files.writeString(directory.resolve("Disk.java"), source);
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, UTF_8)) {
      JavaCompiler.CompilationTask task =
          compiler.getTask(
              null,
              files,
              null,
              List.of("-d", directory.toString(), "-encoding", "UTF-8"),
              null,
              files.getJavaFileObjects(file));
      task.setProcessors(List.of(new DescriptionProcessor()));
      assertThat(task.call()).isTrue();
    }
    Properties properties = new Properties();
    try (Reader in = Files.newBufferedReader(directory.resolve("a/b/descriptions.properties"))) {
      properties.load(in);
    }
    return properties;
  }

  @Test
  void keepsWhatIsSaidOfRecordsAndComponents() throws Exception {
    Properties texts =
        describe(
            """
            package a.b;
            /**
             * A {@code disk} of
             * a node.
             *
             * @param path where it is: an \\u0061bsolute
             *     path, see {@link String}
             * @param size in bytes
             */
            record Disk(String path, long size) {
              /** Where it is. */
              enum Place {
                /** Inside – of the machine. */
                INNER,
                OUTER
              }
            }
            """);
    assertThat(texts)
        .containsEntry("Disk", "A disk of a node.")
        .containsEntry("Disk.path", "Where it is: an absolute path, see String.")
        .containsEntry("Disk.size", "In bytes.")
        .containsEntry("Disk.Place", "Where it is.")
        .containsEntry("Disk.Place.INNER", "Inside – of the machine.")
        .doesNotContainKey("Disk.Place.OUTER");
  }
}
