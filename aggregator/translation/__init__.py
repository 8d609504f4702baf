"""The languages of pages: messages (gettext), dates, numbers and lists."""
