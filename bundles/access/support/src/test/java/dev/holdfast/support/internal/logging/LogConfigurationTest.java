package dev.holdfast.support.internal.logging;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class LogConfigurationTest {
  private static final Map<String, Object> FILE =
      Map.of(
          "log4j2.rootLogger.level",
          "INFO",
          "log4j2.logger.karaf.name",
          "org.apache.karaf",
          "log4j2.logger.karaf.level",
          "WARN",
          "log4j2.appender.file.name",
          "File");

  @Test
  void loggerThatTheFileDoesNotHaveIsAdded() {
    assertThat(LogConfiguration.with(FILE, Map.of("dev.holdfast.portal", "DEBUG")))
        .containsAllEntriesOf(FILE)
        .containsEntry("log4j2.logger.setting-0.name", "dev.holdfast.portal")
        .containsEntry("log4j2.logger.setting-0.level", "DEBUG");
  }

  @Test
  void levelOfTheFileIsReplacedAndComesBack() {
    Map<String, Object> changed =
        LogConfiguration.with(FILE, Map.of("org.apache.karaf", "TRACE", "ROOT", "DEBUG"));

    assertThat(changed)
        .containsEntry("log4j2.logger.karaf.level", "TRACE")
        .containsEntry("log4j2.rootLogger.level", "DEBUG")
        .containsEntry("log4j2.logger.karaf.name", "org.apache.karaf");
    assertThat(LogConfiguration.with(changed, Map.of())).isEqualTo(FILE);
  }

  @Test
  void sameLevelsChangeNothing() {
    Map<String, String> levels = Map.of("a", "DEBUG", "org.apache.karaf", "INFO");
    Map<String, Object> changed = LogConfiguration.with(FILE, levels);

    assertThat(LogConfiguration.with(changed, levels)).isEqualTo(changed);
  }

  @Test
  void levelThatIsNoLongerWantedEnds() {
    Map<String, Object> changed = LogConfiguration.with(FILE, Map.of("a", "DEBUG", "b", "OFF"));

    assertThat(LogConfiguration.with(changed, Map.of("b", "OFF")))
        .containsValue("b")
        .doesNotContainValue("a");
  }
}
