import CAvahi
import CAvahiCore

/// How libavahi-core is set up so that it tells nothing of the machine.
enum EmbeddedConfiguration {
    /// `configuration` has been initialised by Avahi and is freed by it: strings in it are Avahi's.
    static func apply(to configuration: inout AvahiServerConfig, interfaces: [String]) {
        var generator = SystemRandomNumberGenerator()
        unsafe avahi_free(configuration.host_name)
        // Never the machine's own, which is the default.
        unsafe configuration.host_name = avahi_strdup(RandomNames.draw(using: &generator))
        unsafe configuration.use_ipv4 = 1
        unsafe configuration.use_ipv6 = 1
        unsafe configuration.publish_hinfo = 0
        // With addresses of its own it would fight every other responder here for their reverse records.
        unsafe configuration.publish_addresses = 0
        unsafe configuration.publish_workstation = 0
        unsafe configuration.publish_domain = 0
        unsafe configuration.enable_wide_area = 0
        unsafe configuration.disallow_other_stacks = 0
        // Without a cable everything that was heard is forgotten: on the next network it would be repeated.
        unsafe configuration.use_iff_running = 1
        for interface in interfaces {
            unsafe configuration.allow_interfaces = avahi_string_list_add(configuration.allow_interfaces, interface)
        }
    }
}
